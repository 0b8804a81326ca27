// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addToHistory, clearHistory, readHistory } from './query-history.ts'

/** As `localStorage`; a full one keeps nothing more. */
function storage(isFull = false) {
  const kept = new Map<string, string>()
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: (name: string) => void kept.delete(name),
    setItem: (name: string, text: string) => {
      if (isFull) throw new DOMException('', 'QuotaExceededError')
      kept.set(name, text)
    },
  }
}

describe('the history of statements', () => {
  it('has 200 texts, the newest first and each once', () => {
    const kept = storage()
    for (let at = 0; at < 205; at += 1) addToHistory(kept, `GET ${at}`)
    addToHistory(kept, 'GET 100')
    const history = readHistory(kept)
    assert.equal(history.length, 200)
    assert.deepEqual(history.slice(0, 2), ['GET 100', 'GET 204'])
    clearHistory(kept)
    assert.deepEqual(readHistory(kept), [])
  })

  it('keeps no secret, nothing that begins with a blank, and nothing very long', () => {
    const kept = storage()
    const texts = ['CREATE TOKEN a', "GET 'pct_abc'", ' GET 1', '', 'x'.repeat(20_001)]
    for (const text of texts) assert.deepEqual(addToHistory(kept, text), [])
  })

  it('does without, where a browser keeps nothing or holds something else', () => {
    assert.deepEqual(addToHistory(storage(true), 'GET 1'), ['GET 1'])
    const kept = storage()
    kept.setItem('percolite-query-history', '{"a')
    assert.deepEqual(readHistory(kept), [])
  })
})
