import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { branchArchive, DomainListSite } from '../../../test/support/domain-list-site.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

setDefaultTimeout(60_000)

const site = new DomainListSite()
site.archive = await branchArchive({
  'cache_domains.json': JSON.stringify({ own: ['own.txt'] }),
  'own.txt': 'cdn.example.com',
})

async function appWith(settings: string): Promise<TestApp> {
  const file = join(tempFolder('stack'), '.env')
  writeFileSync(file, settings)
  return testApp({
    environment: {
      DOCKER_HOST: 'unix:///nonexistent/docker.sock',
      LanCache__EnvFilePath: file,
      StatusCheck__DomainsUrl: site.url,
    },
  })
}

async function refresh(app: TestApp) {
  const user = await signInAs(app, 'user')
  const response = await user.post('/api/status-check/refresh-domains')
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('repository and branch are those of the caching stack', async () => {
  const own = 'CACHE_DOMAINS_REPO=https://github.com/me/list.git\nCACHE_DOMAINS_BRANCH=lan/party\n'
  const { body } = await refresh(await appWith(own))
  expect(site.paths.splice(0)).toEqual(['/me/list/tar.gz/refs/heads/lan/party'])
  expect(body).toMatchObject({ serviceCount: 1, domainsSource: { branch: 'lan/party' } })
})

test('with NOFETCH nothing is fetched', async () => {
  expect((await refresh(await appWith('NOFETCH=true\n'))).status).toBe(409)
  expect(site.paths).toEqual([])
})

test('another kind of address than a repository on GitHub is refused, and its list not used', async () => {
  const { body } = await refresh(await appWith('CACHE_DOMAINS_REPO=https://example.com/me/list\n'))
  expect(site.paths).toEqual([])
  expect(body.serviceCount).toBeGreaterThan(20)
  expect(JSON.stringify(body.domainsSource)).toContain('name no GitHub repository')
})
