import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { isStorageFault } from './storage-faults.ts'

/** SQLite's own error for a full file. */
function fullFile(): unknown {
  const database = new Database(':memory:')
  database.run('create table t (a text)')
  database.run('PRAGMA max_page_count = 3')
  try {
    for (let n = 0; n < 100; n++) database.run('insert into t values (?)', ['x'.repeat(2000)])
  } catch (error) {
    return error
  }
  throw new Error('the file did not fill up')
}

describe('isStorageFault', () => {
  test('detects a full file, even as the cause of another error', () => {
    const error = fullFile()
    expect(isStorageFault(error)).toBe(true)
    expect(isStorageFault(new Error('Failed query', { cause: error }))).toBe(true)
  })

  test('does not accept a violated constraint', () => {
    const database = new Database(':memory:')
    database.run('create table t (a text unique)')
    database.run("insert into t values ('x')")
    let thrown: unknown
    try {
      database.run("insert into t values ('x')")
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(Error)
    expect(isStorageFault(thrown)).toBe(false)
  })
})
