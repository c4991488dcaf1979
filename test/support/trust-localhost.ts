import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

// The libraries of a worker take no certificate of their own.
const certificate = readFileSync(join(import.meta.dir, 'tls', 'localhost.cert.pem'), 'utf8')
setDefaultCACertificates([...getCACertificates('default'), certificate])
