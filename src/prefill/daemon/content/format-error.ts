/** A file does not have the form that the platform's content has. */
export class FormatError extends Error {}
