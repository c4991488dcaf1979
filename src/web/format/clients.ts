/** Display name of a client: nickname, host name or the address. */
export function clientName(
  ip: string,
  displayName: string | null | undefined,
  names: Record<string, string>,
): string {
  return displayName || names[ip] || ip
}
