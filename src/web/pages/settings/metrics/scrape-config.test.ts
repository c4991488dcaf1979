import { expect, test } from 'bun:test'
import { scrapeConfig } from './scrape-config.ts'

const checked = async (text: string): Promise<unknown> => Bun.YAML.parse(text)

test('is YAML that Prometheus understands', async () => {
  const plain = scrapeConfig({ host: 'larder.lan:5000', protocol: 'http:' }, false)
  expect(await checked(plain)).toEqual({
    scrape_configs: [
      {
        job_name: 'larder',
        scrape_interval: '30s',
        static_configs: [{ targets: ['larder.lan:5000'] }],
      },
    ],
  })
  const guarded = scrapeConfig({ host: 'larder.example.org', protocol: 'https:' }, true)
  expect(await checked(guarded)).toMatchObject({
    scrape_configs: [
      {
        scheme: 'https',
        authorization: { credentials_file: '/etc/prometheus/larder.key' },
      },
    ],
  })
})
