/** A log file cannot be rewritten; the message may be shown to users. */
export class RewriteRefused extends Error {}
