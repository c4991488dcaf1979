/** A log file cannot be rewritten; the text is fit for people. */
export class RewriteRefused extends Error {}
