/** A file does not have the form that Battle.net's content has. */
export class FormatError extends Error {}
