/** Nickname, else the first label of the host name, else the address itself. */
export function clientName(
  ip: string,
  displayName: string | null | undefined,
  hostnames: Record<string, string>,
): string {
  if (displayName !== null && displayName !== undefined && displayName !== '') return displayName
  const host = hostnames[ip]
  return host === undefined || host === '' ? ip : (host.split('.')[0] ?? ip)
}
