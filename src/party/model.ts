import { Type, type Static } from '@sinclair/typebox'
import { Bytes, Flag, Int, Model, Nullable, Num, Ratio, Text, Utc } from '../core/http/schema.ts'
import { stringUnion } from '../core/http/string-union.ts'
import { platforms } from '../platforms/platforms.ts'

/** Lines of a timetable. */
const timetableMax = 50

const platform = stringUnion(platforms)
const speed = Type.Number({ description: 'Bytes per second' })

const TimetableLine = Type.Object({
  atUtc: Type.String({ maxLength: 40, description: 'ISO-8601' }),
  text: Type.String({ minLength: 1, maxLength: 120 }),
})

/** What the host writes for the guests. */
export const PartySettings = Model('PartySettings', {
  rules: Type.String({ maxLength: 2000 }),
  wifi: Type.String({ maxLength: 300, description: 'Name and password of the wireless network' }),
  timetable: Type.Array(TimetableLine, { maxItems: timetableMax }),
  showsNames: Type.Boolean({
    description: 'Names that guests chose for their devices instead of numbers on the kiosk',
  }),
})
export type PartySettings = Static<typeof PartySettings>

export const Wish = Model('PartyWish', {
  id: Int,
  name: Text,
  votes: Int,
  /** Null: typed in, or no platform can prefill it. */
  platform: Nullable(platform),
  appId: Nullable(Text),
  state: stringUnion(['ready', 'fetching', 'onBoard', 'open']),
  totalBytes: Nullable(Int),
})
export type Wish = Static<typeof Wish>

/** The party of an event as its host sees it. */
export const HostParty = Model('HostParty', {
  /** Null: the party is off. */
  settings: Nullable(PartySettings),
  /** Most votes first. */
  wishes: Type.Array(Wish),
  /** Addresses of the pages of guests and of the beamer; null: the links have ended. */
  guestPath: Nullable(Text),
  kioskPath: Nullable(Text),
})
export type HostParty = Static<typeof HostParty>

const game = {
  name: Text,
  service: Text,
  /** As in the address of its page. */
  gameId: Text,
}

const PartyEvent = Type.Object({
  name: Text,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  colorIndex: Int,
  state: stringUnion(['before', 'running', 'over']),
})

/** What guests and the kiosk have in common. */
const shared = {
  event: PartyEvent,
  /** Of the answer. */
  nowUtc: Utc,
  bytesPerSecond: speed,
  totals: Type.Object({
    servedBytes: Bytes,
    savedBytes: Bytes,
    hitRatio: Ratio,
    downloads: Int,
    devices: Int,
  }),
  wishes: Type.Array(Wish),
  rules: Text,
  wifi: Text,
  timetable: Type.Array(TimetableLine),
}

const device = {
  /** Null: not seen before. */
  deviceNumber: Nullable(Int),
  /** Null: its guest chose none, or the host shows no names. */
  deviceName: Nullable(Text),
}

export const KioskView = Model('PartyKiosk', {
  ...shared,
  activeDevices: Type.Integer({ description: 'That download now' }),
  /** Of the last five minutes. */
  samples: Type.Array(Type.Object({ at: Num, cached: Num, fetched: Num })),
  topGames: Type.Array(Type.Object({ ...game, bytes: Bytes, savedBytes: Bytes })),
  newest: Type.Array(Type.Object({ id: Int, ...game, ...device, bytes: Bytes, startTimeUtc: Utc })),
  devices: Type.Array(
    Type.Object({ ...device, bytes: Bytes, savedBytes: Bytes, bytesPerSecond: speed }),
  ),
  /** Address of the page of guests, for the code; null: its link has ended. */
  guestPath: Nullable(Text),
})
export type KioskView = Static<typeof KioskView>

export const GuestView = Model('PartyGuest', {
  ...shared,
  wishes: Type.Array(
    Type.Object({ ...Wish.properties, isVoted: Type.Boolean({ description: 'By this device' }) }),
  ),
  readyGames: Type.Array(Type.Object({ name: Text, platform, appId: Text })),
  device: Type.Object({
    /** Null: it has downloaded nothing yet. */
    number: Nullable(Int),
    bytesPerSecond: speed,
    games: Type.Array(Type.Object({ name: Text, bytesPerSecond: speed })),
    bytes: Bytes,
    savedBytes: Bytes,
    name: Type.String({ description: 'On the kiosk; empty: only its number is shown' }),
  }),
  showsNames: Flag,
})
export type GuestView = Static<typeof GuestView>

export const KnownGame = Model('PartyGame', {
  name: Text,
  platform: Nullable(platform),
  appId: Nullable(Text),
  isReady: Flag,
})
export type KnownGame = Static<typeof KnownGame>

export const WishBody = Model('PartyWishInput', {
  name: Type.String({ minLength: 1, maxLength: 80 }),
  /** Both of a known game, or neither. */
  platform: Type.Optional(platform),
  appId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
})
export type WishBody = Static<typeof WishBody>

export const DeviceNameBody = Model('PartyDeviceName', {
  name: Type.String({
    maxLength: 24,
    description: 'On the kiosk; empty: only the number of the device',
  }),
})
export type DeviceNameBody = Static<typeof DeviceNameBody>
