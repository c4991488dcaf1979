import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'

const path = '/api/ext/log'
const app = await reportApp()

describe('the log of the service', () => {
  test('shows the newest lines, by level and text, and never the installation key', async () => {
    app.deps.log.warn({ host: 'broker.lan' }, 'something is odd')
    app.deps.log.info('something is fine')
    const read = async (query: string) => {
      const { lines } = await app.read(`${path}?${query}`, 'admin')
      return lines.map(({ message }: { message: string }) => message)
    }
    expect(await read('search=SOMETHING')).toEqual(['something is odd', 'something is fine'])
    expect(await read('search=broker.lan&level=warn')).toEqual(['something is odd'])
    expect(await read('search=something&limit=1')).toEqual(['something is fine'])
    const whole = await app.read(`${path}?limit=1000`, 'admin')
    expect(whole.writtenFrom).toBe('info')
    expect(JSON.stringify(whole)).toContain('installation key created: [secret]')
    expect(JSON.stringify(whole)).not.toContain(app.deps.key)
  })

  test.each(['level=loud', 'limit=0', 'limit=1001', `search=${'x'.repeat(201)}`])(
    '%s is refused',
    async (query) => {
      expect((await app.send('GET', `${path}?${query}`, 'admin')).status).toBe(400)
    },
  )
})
