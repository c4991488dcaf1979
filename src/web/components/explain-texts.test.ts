import { expect, test } from 'bun:test'
import { numberRules } from '../../api/downloads/explain/catalogue.ts'
import { formulaKeys, sourceKeys } from './explain-texts.ts'

test('every sentence that the service says is translated, and no other', () => {
  const rules = Object.values(numberRules)
  const formulas = new Set<string>(rules.map(({ formula }) => formula))
  const sources = new Set<string>(rules.map(({ source }) => source))
  expect(Object.keys(formulaKeys).filter((text) => !formulas.has(text))).toEqual([])
  expect([...formulas].filter((text) => formulaKeys[text] === undefined)).toEqual([])
  expect([...sources].filter((text) => sourceKeys[text] === undefined)).toEqual([])
})
