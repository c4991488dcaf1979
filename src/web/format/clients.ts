/** What people call a client: nickname or host name as far as known, else the address itself. */
export function clientName(
  ip: string,
  displayName: string | null | undefined,
  names: Record<string, string>,
): string {
  return displayName || names[ip] || ip
}
