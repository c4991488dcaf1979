import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { MailError, sendMail } from './mail.ts'
import type { Message } from './message.ts'
import type { Target } from './targets.ts'

const tls = join(import.meta.dir, '../../../test/support/tls')
const pairOf = (name: string) => ({
  cert: readFileSync(join(tls, `${name}.cert.pem`)),
  key: readFileSync(join(tls, `${name}.key.pem`)),
})
const pair = pairOf('localhost')
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

interface Mail {
  isSecure: boolean
  user: string
  text: string
}

/** A mail server with one user, `larder` with the password `right`. */
async function mailServer(options: SMTPServerOptions) {
  const mails: Mail[] = []
  const server = new SMTPServer({
    ...options,
    onAuth({ username, password }, _session, done) {
      const isRight = username === 'larder' && password === 'right'
      done(isRight ? null : new Error('no'), { user: username })
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        mails.push({ isSecure: session.secure, user: session.user ?? '', text })
        done()
      })
    },
  })
  server.on('error', () => {})
  closers.push(() => server.close(() => {}))
  const listening = Promise.withResolvers<number>()
  const inner = server.listen(0, '127.0.0.1', () => {
    const address = inner.address()
    listening.resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
  })
  return { port: await listening.promise, mails }
}

const message: Message = {
  kind: 'jobFailed',
  isProblem: true,
  title: 'Prüfung failed',
  text: 'No space left\r\n.\r\nBcc: all@example.org',
  raisedAt: new Date('2026-11-21T12:00:00Z'),
}
const target = (port: number, security: string, password: string | null): Target => ({
  id: '1',
  name: 'mail',
  kind: 'smtp',
  options: {
    host: 'localhost',
    port,
    security,
    from: 'Larder <larder@lan.example>',
    to: 'a@lan.example, b@lan.example',
    ...(password !== null && { user: 'larder' }),
  },
  secrets: password === null ? {} : { password },
})

describe('a mail', () => {
  test.each([
    ['tls', { ...pair, secure: true }],
    ['starttls', { ...pair }],
  ])('is sent over %s, signed in', async (security, options) => {
    const server = await mailServer(options)
    await sendMail(target(server.port, security, 'right'), message)
    expect(server.mails).toHaveLength(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({ isSecure: true, user: 'larder' })
    expect(mail?.text).toContain('Subject: =?UTF-8?Q?')
    expect(mail?.text).toContain('To: a@lan.example, b@lan.example')
    // The text stays in the body, whatever it looks like.
    const [head = ''] = mail?.text.split('\r\n\r\n') ?? []
    expect(head).not.toContain('Bcc')
    expect(mail?.text).toContain('Bcc: all@example.org')
  })

  test('is sent in clear text without a user, where that was chosen', async () => {
    const server = await mailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
    await sendMail(target(server.port, 'none', null), message)
    expect(server.mails).toMatchObject([{ isSecure: false, user: '' }])
  })

  test('goes to the address that was judged, with the certificate of the name', async () => {
    const server = await mailServer({ ...pair, secure: true })
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const resolve = () => Promise.resolve(answers.shift() ?? [])
    const mail = target(server.port, 'tls', 'right')
    await sendMail(mail, message, resolve)
    expect([server.mails.length, answers.length]).toEqual([1, 1])
    const reason = 'localhost leads to an address that is not allowed'
    const failed = sendMail(mail, message, resolve)
    expect(failed).rejects.toThrow(new MailError(reason))
    await failed.catch(() => {})
    expect(server.mails).toHaveLength(1)
  })

  test('fails with the code of the server and without the password', async () => {
    const server = await mailServer({ ...pair })
    const failed = sendMail(target(server.port, 'starttls', 'wrong'), message)
    expect(failed).rejects.toThrow(new MailError('localhost refused with 535'))
    await failed.catch(() => {})
    expect(server.mails).toEqual([])
  })

  test('is not sent in clear text to a server without encryption', async () => {
    const server = await mailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
    const failed = sendMail(target(server.port, 'starttls', 'right'), message)
    expect(failed).rejects.toBeInstanceOf(MailError)
    await failed.catch(() => {})
    expect(server.mails).toEqual([])
  })

  test.each([
    ['tls', 'has a certificate that is not trusted', { ...pairOf('renewed'), secure: true }],
    ['tls', 'does not use TLS on this port', {}],
    ['starttls', 'does not offer STARTTLS', { disabledCommands: ['STARTTLS'] }],
  ])('over %s fails with the reason: %s', async (security, reason, options) => {
    const server = await mailServer(options)
    const failed = sendMail(target(server.port, security, 'right'), message)
    await failed.catch(() => {})
    expect(failed).rejects.toThrow(new MailError(`localhost ${reason}`))
  })

  test('fails at a server that says nothing of mail', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
      })
    })
    const failed = sendMail(target(port, 'none', null), message)
    const cut = setInterval(() => {
      for (const socket of sockets) socket.destroy()
    }, 20)
    expect(failed).rejects.toBeInstanceOf(MailError)
    await failed.catch(() => {})
    clearInterval(cut)
    server.close()
  })
})
