import { expect, test } from 'bun:test'
import { phraseBook } from './phrases.ts'

const phrase = phraseBook({ plain: 'Nothing to add', two: '{a} of {b}, {a}' })

test('a phrase is a text with its key and values', () => {
  expect(phrase('plain')).toEqual({ text: 'Nothing to add', key: 'plain', values: {} })
  const values = { a: 1, b: 'x' }
  expect(phrase('two', values)).toEqual({ text: '1 of x, 1', key: 'two', values })
})

test('values that look like placeholders stay unchanged', () => {
  expect(phrase('two', { a: '{b}', b: '$&' }).text).toBe('{b} of $&, {b}')
})
