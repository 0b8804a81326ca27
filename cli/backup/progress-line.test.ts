// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProgressLine } from './progress-line.ts'

function shown(isTTY: boolean) {
  let nowMs = 0
  const texts: string[] = []
  const output = { isTTY, write: (text: string) => texts.push(text.replace('\r\u001b[K', '')) }
  const line = new ProgressLine(output, () => nowMs)
  const show = (atMs: number, what: string, bytesDone: number, bytesTotal?: number) => {
    nowMs = atMs
    line.show(what, bytesDone, bytesTotal)
  }
  return { show, texts, line }
}

test('a line of progress on a terminal is written ten times a second, and at once for what is new', () => {
  const { show, texts, line } = shown(true)
  for (let at = 0; at < 1_000; at += 1) show(at, 'receiving', at * 1_000, 1e6)
  assert.equal(texts.length, 10)
  assert.equal(texts[1], 'receiving: 0.1 of 1.0 MB (10 %)')
  show(1_000, 'checking', 1e6)
  show(3_500, 'checking', 1e6)
  assert.deepEqual(texts.slice(-2), ['checking: 1.0 MB, 0 s', 'checking: 1.0 MB, 2 s'])
  line.end()
  assert.equal(texts.at(-1), '')
})

test('elsewhere it is a line every five seconds', () => {
  const { show, texts } = shown(false)
  for (let at = 0; at <= 12_000; at += 100) show(at, 'copying', at, 12_000)
  assert.deepEqual(texts, ['copying: 0.0 of 0.0 MB (41 %)\n', 'copying: 0.0 of 0.0 MB (83 %)\n'])
})
