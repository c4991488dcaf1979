/** When a Steam token expires; null: it holds no readable expiry. */
export function tokenEnd(token: string): Date | null {
  const claims = token.split('.')[1] ?? ''
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
      exp?: unknown
    }
    return typeof exp === 'number' && Number.isFinite(exp) ? new Date(exp * 1000) : null
  } catch {
    return null
  }
}
