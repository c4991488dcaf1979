import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { ManualTime } from '../../test/support/manual-time.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { seededRandom } from '../demo/random.ts'
import {
  drainMs,
  handshakeBytesMax,
  heartbeatMs,
  messageBytesMax,
  missedHeartbeatsMax,
  queuedBytesMax,
  recordBytesMax,
  socketBytesMax,
} from './limits.ts'
import { Link } from './link.ts'
import { createOpener, createSealer, kinds } from './records.ts'

/** Two ends of a connection whose frames the test carries. */
function fixture({
  isProven = true,
  time = new ManualTime(),
  bufferedBytes = (): number => 0,
} = {}) {
  const [there, back] = [randomBytes(32), randomBytes(32)]
  const frames: Uint8Array[] = []
  const answers: Uint8Array[] = []
  const wire = (sent: Uint8Array[]) => ({
    send: (frame: Uint8Array) => sent.push(frame) > 0,
    bufferedBytes,
    close() {},
  })
  const end = (sent: Uint8Array[], seal: Buffer, open: Buffer) =>
    new Link({
      wire: wire(sent),
      timers: time,
      log: quietLog,
      seal: createSealer(seal),
      open: createOpener(open),
    })
  const sender = end(frames, there, back)
  const receiver = end(answers, back, there)
  if (isProven) for (const link of [sender, receiver]) link.prove()
  const delivered: unknown[] = []
  const ends: string[] = []
  receiver.onMessage = (message) => delivered.push(message)
  receiver.onClose = (reason) => ends.push(reason)
  const carry = () => {
    for (const frame of frames.splice(0)) receiver.receive(frame)
    for (const frame of answers.splice(0)) sender.receive(frame)
  }
  return {
    sender,
    receiver,
    frames,
    answers,
    delivered,
    ends,
    carry,
    time,
    seal: createSealer(there),
  }
}

describe('messages', () => {
  test('arrive complete and in order, whatever their size', () => {
    const { sender, delivered, carry } = fixture()
    const sizes = [0, 1, recordBytesMax - 3, recordBytesMax, 3 * recordBytesMax, 1_000_000]
    const sent = sizes.map((size) => ({ size, text: 'x'.repeat(size) }))
    for (const message of sent) sender.send(message)
    carry()
    expect(delivered).toEqual(sent)
  })

  test(`above ${messageBytesMax} bytes are refused by the sender`, () => {
    const { sender, frames } = fixture()
    expect(() => sender.send(new Uint8Array(messageBytesMax))).toThrow('larger than')
    expect(frames).toEqual([])
    sender.send('small')
    expect(frames).toHaveLength(1)
  })

  test('above the limit end the connection of a receiver', () => {
    const { receiver, seal, delivered, ends } = fixture()
    const part = Buffer.alloc(recordBytesMax)
    const enough = Math.ceil(messageBytesMax / recordBytesMax)
    for (let n = 0; n <= enough; n++) receiver.receive(seal(kinds.part, part))
    expect(ends).toEqual(['a record was refused: the message is too large'])
    expect(delivered).toEqual([])
  })

  test('as large as a site needs arrive, while urgent ones overtake them', async () => {
    let unsent = () => 0
    const time = new ManualTime()
    const { sender, delivered, frames, carry } = fixture({ time, bufferedBytes: () => unsent() })
    unsent = () => frames.length * recordBytesMax
    const large = randomBytes(2 * socketBytesMax)
    for (const message of [large, 'second']) sender.send(message)
    sender.send('live', true)
    expect(frames.length * recordBytesMax).toBeLessThan(socketBytesMax + 3 * recordBytesMax)
    carry()
    expect(delivered).toEqual(['live'])
    while (sender.bufferedBytes > 0) {
      await time.advance(drainMs)
      carry()
    }
    const [, received, ...rest] = delivered
    expect(large.equals(received as Uint8Array)).toBe(true)
    expect(rest).toEqual(['second'])
  })

  test('are small before the other side has proven itself', () => {
    for (const kind of [kinds.lastPart, kinds.urgent]) {
      const { receiver, seal, ends } = fixture({ isProven: false })
      receiver.receive(seal(kind, Buffer.alloc(handshakeBytesMax + 1)))
      expect(ends).toEqual(['a record was refused: the message is too large'])
    }
  })

  test('are never made of many small parts', () => {
    const { receiver, seal, ends } = fixture()
    receiver.receive(seal(kinds.part, Buffer.alloc(0)))
    expect(ends).toEqual(['a record was refused: the record has a wrong size'])
  })

  test('are refused while too much is unsent', () => {
    const { sender, frames } = fixture({ bufferedBytes: () => queuedBytesMax - 3 })
    expect(() => sender.send('a longer text')).toThrow('unsent')
    expect(frames).toEqual([])
  })

  test('of a closed connection are refused, and nothing arrives any more', () => {
    const { sender, receiver, frames, delivered, ends } = fixture()
    sender.send('late')
    receiver.close('enough')
    for (const frame of frames) receiver.receive(frame)
    expect(() => receiver.send('later')).toThrow('closed')
    expect(delivered).toEqual([])
    expect(ends).toEqual(['enough'])
  })

  test('that their receiver cannot handle end the connection', () => {
    const { sender, receiver, ends, carry } = fixture()
    receiver.onMessage = () => {
      throw new Error('no such job')
    }
    sender.send('x')
    carry()
    expect(ends).toEqual(['a record was refused: no such job'])
  })
})

test('its end is known to all who listen, although one of them fails', () => {
  const { receiver, ends } = fixture()
  receiver.onEnd = () => {
    throw new Error('the disk is full')
  }
  receiver.closed()
  expect(ends).toEqual(['the connection was lost'])
})

test('the other side learns why a connection was closed', () => {
  const { sender, ends, carry } = fixture()
  sender.close('the node stops')
  carry()
  expect(ends).toEqual(['the node stops'])
})

describe('a silent peer', () => {
  test('is noticed', async () => {
    const { ends, time } = fixture()
    await time.advance(missedHeartbeatsMax * heartbeatMs)
    expect(ends).toEqual([])
    await time.advance(heartbeatMs)
    expect(ends).toEqual(['the other side is silent'])
    expect(time.pending).toBe(0)
  })

  test('is one that sends nothing: heartbeats keep an idle connection', async () => {
    const { ends, time, carry } = fixture()
    for (let n = 0; n < 10; n++) {
      await time.advance(heartbeatMs)
      carry()
    }
    expect(ends).toEqual([])
  })

  test('gets no heartbeat while messages are sent', async () => {
    const { sender, frames, time } = fixture()
    sender.send('x')
    await time.advance(heartbeatMs)
    expect(frames).toHaveLength(1)
    await time.advance(heartbeatMs)
    expect(frames).toHaveLength(2)
  })
})

/** What somebody on the wire may do to the frames of a connection. */
const attacks: readonly ((frames: Buffer[], random: ReturnType<typeof seededRandom>) => void)[] = [
  function flipBit(frames, random) {
    const frame = random.pick(frames)
    const at = random.between(0, frame.length - 1)
    frame[at] = (frame[at] ?? 0) ^ (1 << random.between(0, 7))
  },
  function cut(frames, random) {
    const at = random.between(0, frames.length - 1)
    frames[at] = frames[at]?.subarray(0, -random.between(1, frames[at].length)) ?? Buffer.alloc(0)
  },
  function lengthen(frames, random) {
    const at = random.between(0, frames.length - 1)
    frames[at] = Buffer.concat([frames[at] ?? Buffer.alloc(0), randomBytes(random.between(1, 99))])
  },
  function swap(frames, random) {
    const at = random.between(1, frames.length - 1)
    frames.splice(at - 1, 2, ...frames.slice(at - 1, at + 1).toReversed())
  },
  function repeat(frames, random) {
    const at = random.between(0, frames.length - 1)
    frames.splice(at + 1, 0, Buffer.from(frames[at] ?? []))
  },
  function leaveOut(frames, random) {
    frames.splice(random.between(0, frames.length - 2), 1)
  },
  function invent(frames, random) {
    frames.splice(random.between(0, frames.length), 0, randomBytes(random.between(0, 200)))
  },
]

test('ten thousand attacks on frames deliver nothing that was not sent, and block nobody', () => {
  const random = seededRandom(30)
  for (let round = 0; round < 10_000; round++) {
    const { sender, receiver, frames, delivered, ends, answers } = fixture()
    const sent = Array.from({ length: random.between(2, 4) }, (_, n) => ({
      n,
      text: 'x'.repeat(random.next() < 0.02 ? random.between(1, 3 * recordBytesMax) : 10),
      bytes: new Uint8Array(random.between(0, 9)),
    }))
    for (const message of sent) sender.send(message, random.next() < 0.5)
    const altered = frames.map((frame) => Buffer.from(frame))
    const attack = random.pick(attacks)
    attack(altered, random)
    for (const frame of altered) receiver.receive(frame)
    // What came before the first altered frame is genuine; nothing after it counts.
    expect(delivered).toEqual(sent.slice(0, delivered.length))
    expect(
      delivered.length < sent.length || attack.name === 'repeat' || attack.name === 'invent',
    ).toBe(true)
    expect(ends).toHaveLength(1)
    expect(answers).toEqual([])
  }
})
