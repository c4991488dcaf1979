import { expect, test } from 'bun:test'
import { describeTitle, titleKeyOf } from './titles.ts'

const guid = '12345678-90AB-cdef-1234-567890abcdef'

test.each([
  ['steam', '/depot/434174/chunk/aa', 'h', 'alpha:434174'],
  ['steam', '/x/depot/7/manifest/1/5/2', 'h', 'alpha:7'],
  ['steam', '/depot/99999999999/chunk', 'h', ''],
  ['steam', '/depot//chunk', 'h', ''],
  ['steam', '/depot/12', 'h', ''],
  ['epicgames', '/Builds/Org/o-a/0011/default/Chunks/1', 'h', 'beta:/Builds/Org/o-a/0011/default'],
  ['epicgames', '/Builds/X/CloudDir/ChunksV4/07/A_B.chunk', 'h', 'beta:/Builds/X/CloudDir'],
  ['epicgames', '/a/b.manifest?x=/y', 'h', 'beta:/a'],
  ['blizzard', '/tpr/fenris/data/ab', 'h', 'gamma:fenris'],
  ['blizzard', '/tpr/Diablo3/data/ab', 'h', 'gamma:d3'],
  ['blizzard', '/tpr/configs/data/ab', 'h', 'gamma:shared'],
  ['blizzard', '/cortez/Some-Live/x', 'h', 'gamma:btlr'],
  ['blizzard', '/nothing/known', 'h', ''],
  ['blizzard', '/tpr/constructor/x', 'h', 'gamma:constructor'],
  ['riot', '/channels/public/bundles/a.bundle', 'Valorant.dyn.riotcdn.net', 'delta:valorant'],
  ['riot', '/x', 'lol.secure.dyn.riotcdn.net', 'delta:lol'],
  ['riot', '/x', 'lol.other.riotcdn.net', ''],
  ['riot', '/x', 'other.test', ''],
  [
    'wsus',
    `/filestreamingservice/files/${guid}?P1=1`,
    'h',
    `epsilon:/filestreamingservice/files/${guid.toLowerCase()}`,
  ],
  [
    'xboxlive',
    `/9/${guid}/${guid}/1.0.${guid}/pkg_x64`,
    'h',
    `epsilon:/9/${guid}/${guid}/1.0.${guid}`.toLowerCase(),
  ],
  ['wsus', `/c/${guid}/a.cab`, 'h', ''],
  ['wsus', '/c/a-b-c-d-e/a.cab', 'h', ''],
  ['wsus', '/filestreamingservice/files/0123456789abcdef.bin', 'h', ''],
  ['origin', '/depot/1/x', 'h', ''],
])('%s %s %s', (service, target, host, key) => {
  expect(titleKeyOf(service, target, host)).toBe(key)
})

test.each([
  ['alpha:731', 'steam', { gameAppId: 730, gameName: 'Counter-Strike 2', depotId: 731 }],
  ['alpha:434174', 'steam', { platform: 'alpha', gameAppId: null, depotId: 434174 }],
  ['gamma:d3', 'blizzard', { platform: 'gamma', gameName: 'Diablo III' }],
  ['gamma:shared', 'blizzard', { gameName: 'Battle.net (shared)' }],
  ['gamma:constructor', 'blizzard', { gameName: null }],
  ['delta:lol', 'riot', { platform: 'delta', gameName: 'League of Legends' }],
  ['beta:/Builds/UnrealEngineLauncher/CloudDir', 'epicgames', { gameName: 'Epic Games Launcher' }],
  ['', 'origin', { platform: null, gameName: null }],
  ['', 'steam', { platform: 'alpha', depotId: null }],
])('description of %p', (key, service, fields) => {
  expect(describeTitle(key, service)).toMatchObject(fields)
})
