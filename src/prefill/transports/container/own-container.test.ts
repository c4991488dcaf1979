import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { imageParts } from './images.ts'
import { hostBasePath, ownContainerIds, throughMounts } from './own-container.ts'
import type Docker from 'dockerode'

const id = 'ab'.repeat(32)
const layer = 'cd'.repeat(32)

test('our own container is found in the files of every version of the kernel', () => {
  const folder = tempFolder('own')
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const mounts = `1 2 0:1 / / - overlay overlay rw,lowerdir=/x/overlay2/${layer}/diff
5 6 8:1 /var/lib/docker/containers/${id}/hostname /etc/hostname rw`
  const idsOf = (path: string) => ownContainerIds([path]).filter((it) => it.length === 64)
  expect(idsOf(file('cgroup', `4:memory:/docker/${id}\n`))).toEqual([id])
  expect(idsOf(file('cpuset', `/docker/${id}\n`))).toEqual([id])
  expect(idsOf(file('mountinfo', mounts))).toEqual([id])
  expect(idsOf(file('none', '0::/\n'))).toEqual([])
  expect(idsOf(join(folder, 'missing'))).toEqual([])
})

test('a path is named through the innermost mount', () => {
  const mounts = [
    { Source: '/srv/data', Destination: '/data' },
    { Source: '/mnt/fast', Destination: '/data/prefill' },
    { Source: '/srv/other', Destination: '/dat' },
  ]
  expect(throughMounts('/data/prefill', mounts)).toBe('/mnt/fast')
  expect(throughMounts('/data/prefill/x', mounts)).toBe('/mnt/fast/x')
  expect(throughMounts('/data/prefilled', mounts)).toBe('/srv/data/prefilled')
  expect(throughMounts('/database', mounts)).toBeNull()
})

test('the folder on the host comes from the setting, else from our own mounts', async () => {
  const Mounts = [{ Source: '/srv/larder', Destination: '/data' }]
  const inspect = (asked: string) =>
    asked === id
      ? Promise.resolve({ Mounts })
      : Promise.reject(Object.assign(new Error('none'), { statusCode: 404 }))
  // The one method of the library that is used here.
  const engine = { getContainer: (asked: string) => ({ inspect: () => inspect(asked) }) }
  const found = (hostDataPath: string | null, own: { isInContainer: boolean; ids: string[] }) =>
    hostBasePath(
      engine as unknown as Docker,
      { dataPath: '/data', basePath: '/data/prefill', hostDataPath },
      own,
    )
  expect(await found('/host', { isInContainer: true, ids: [] })).toBe('/host/prefill')
  expect(await found(null, { isInContainer: false, ids: [] })).toBe('/data/prefill')
  expect(await found(null, { isInContainer: true, ids: ['other', id] })).toBe('/srv/larder/prefill')
  const unknown = await found(null, { isInContainer: true, ids: ['other'] }).catch(String)
  expect(unknown).toContain('Prefill__HostDataPath')
})

test('a port of a registry is no tag', () => {
  expect(imageParts('a/b:1')).toEqual({ fromImage: 'a/b', tag: '1' })
  expect(imageParts('host:5000/a/b')).toEqual({ fromImage: 'host:5000/a/b', tag: 'latest' })
  expect(imageParts('a@sha256:12')).toEqual({ fromImage: 'a@sha256:12' })
})
