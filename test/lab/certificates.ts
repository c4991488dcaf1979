import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An authority of its own, and a server's certificate that it signed. */
export interface Issued {
  authority: string
  certificate: string
  key: string
}

function openssl(folder: string, words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], {
    cwd: folder,
    stdout: 'ignore',
  })
  if (exitCode !== 0) throw new Error(`openssl failed: ${stderr.toString()}`)
}

/** Makes both in the folder, for one host name. */
export function issueCertificate(folder: string, host: string): Issued {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = (name: string) => join(folder, name)
  const own = ['-keyout', 'ca.key', '-subj', '/CN=Laboratory', '-days', '3']
  openssl(folder, ['req', '-x509', ...curve, ...own, '-out', 'ca.pem'])
  openssl(folder, ['req', ...curve, '-keyout', 'server.key', '-subj', `/CN=${host}`, '-out', 'csr'])
  writeFileSync(made('names'), `subjectAltName = DNS:${host}\n`)
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  openssl(folder, ['x509', '-req', '-in', 'csr', ...by, '-days', '3', '-out', 'server.pem'])
  return { authority: made('ca.pem'), certificate: made('server.pem'), key: made('server.key') }
}
