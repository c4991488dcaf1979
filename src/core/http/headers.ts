/**
 * Sent with every response. The policy is enforced, not report-only: our pages load nothing from
 * another origin; `'self'` includes the socket of the same host. The reference page and user themes
 * need `unsafe-inline` for styles.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'geolocation=(), camera=(), microphone=()',
  'Content-Security-Policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; '),
} as const

/** Sent only where the service itself speaks HTTPS; otherwise the proxy decides. */
export const strictTransport = { 'Strict-Transport-Security': 'max-age=31536000' } as const
