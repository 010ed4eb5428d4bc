/** Who erases somebody finds what THROTTLE steps have counted of the person, whatever the workflow. */
export const throttledPeople = `
CREATE INDEX throttles_contact ON throttles (app_id, contact_id);
`
