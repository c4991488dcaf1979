import { expect, test } from 'bun:test'
import { numberRules } from '../../api/downloads/explain/catalogue.ts'
import { formulaKeys, sourceKeys } from './explain-texts.ts'

test('every sentence that is translated is one that the service says', () => {
  const rules = Object.values(numberRules)
  const formulas = new Set<string>(rules.map(({ formula }) => formula))
  const sources = new Set<string>(rules.map(({ source }) => source))
  expect(Object.keys(formulaKeys).filter((text) => !formulas.has(text))).toEqual([])
  expect([...sources].filter((text) => sourceKeys[text] === undefined)).toEqual([])
})
