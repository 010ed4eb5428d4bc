using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Heliograph
{
    /// <summary>A part of a list; the last has no NextCursor.</summary>
    public sealed record Page<T>(IReadOnlyList<T> Data, string? NextCursor);

    /// <summary>A list: go through every item with await foreach, through PagesAsync, or take one PageAsync. It asks when it has to.</summary>
    public sealed class Pages<T> : IAsyncEnumerable<T>
    {
        private readonly Func<string?, CancellationToken, Task<Page<T>>> _load;

        internal Pages(Func<string?, CancellationToken, Task<Page<T>>> load) => _load = load;

        /// <summary>The first page, or the one of the cursor that was given.</summary>
        public Task<Page<T>> PageAsync(CancellationToken cancellationToken = default) => _load(null, cancellationToken);

        public async IAsyncEnumerable<Page<T>> PagesAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
        {
            string? cursor = null;
            do
            {
                Page<T> page = await _load(cursor, cancellationToken).ConfigureAwait(false);
                yield return page;
                cursor = page.NextCursor;
            }
            while (cursor != null);
        }

        public async IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            await foreach (Page<T> page in PagesAsync(cancellationToken).ConfigureAwait(false))
            {
                foreach (T item in page.Data)
                {
                    yield return item;
                }
            }
        }
    }
}
