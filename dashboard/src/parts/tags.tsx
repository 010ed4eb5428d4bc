/** Tags of a row: the first few, and how many more there are. */
export const Tags = ({ most = Infinity, tags }: { readonly tags: ReadonlyArray<string>; readonly most?: number }) => {
  if (tags.length === 0) return <span className="muted">–</span>
  const more = tags.length - most
  return (
    <span className="tags">
      {tags.slice(0, most).map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
      {more > 0 && (
        <span className="muted small" title={tags.slice(most).join(", ")}>
          and {more} more
        </span>
      )}
    </span>
  )
}
