/** The antiforgery token travels back in a header; the server compares it with the cookie. */
export function antiforgeryToken(cookies: string): string | null {
  for (const part of cookies.split('; ')) {
    if (part.startsWith('Svc.Antiforgery=')) return part.slice('Svc.Antiforgery='.length)
  }
  return null
}
