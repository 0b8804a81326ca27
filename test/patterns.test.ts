// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import ts from 'typescript'
import { readSourceTree } from './source/source-file.ts'

const ROOMS = ['parser', 'planner', 'server', 'storage', 'client-sdk', 'cli'] as const
const ROOT = new URL('..', import.meta.url).pathname

/** Patterns that are put together from constants, which cannot be read from the source alone. */
const KNOWN_CONSTRUCTIONS = new Set(["parser/grammar/keywords.ts new RegExp(word, 'i')"])

type FoundPattern = { readonly place: string; readonly pattern: RegExp }

/**
 * Every regular expression of the source tree, whoever it meets. Those of the lexer match at one place;
 * all others are taken to be sought everywhere, as `replace` and `exec` do.
 */
async function patternsOfTheSource(): Promise<FoundPattern[]> {
  const found: FoundPattern[] = []
  for (const [path, text] of await readSourceTree(ROOT, ROOMS)) {
    if (path.endsWith('.test.ts')) continue
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      const isConstructed = ts.isNewExpression(node) && node.expression.getText(tree) === 'RegExp'
      if (ts.isRegularExpressionLiteral(node) || isConstructed) {
        const source = node.getText(tree)
        const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
        if (!KNOWN_CONSTRUCTIONS.has(`${path} ${source}`)) {
          found.push({
            place: `${path}:${line}`,
            pattern: patternOf(source, isOfLexer(node, tree)),
          })
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
  return found
}

function patternOf(source: string, isSticky: boolean): RegExp {
  const pattern = new Function(`return ${source}`)() as RegExp
  return isSticky ? new RegExp(pattern, pattern.flags.replace('g', '').concat('y')) : pattern
}

function isOfLexer(node: ts.Node, tree: ts.SourceFile): boolean {
  const call = ts.findAncestor(node, ts.isCallExpression)
  return call !== undefined && ['createToken', 'malformed'].includes(call.expression.getText(tree))
}

const MARKS = [
  ...[' ', 'a', '0', '=', '/', '.', ',', '"', "'", '`', '[', ']', '@', '{', '}', '\n', '\r'],
  ...['-', '*', 'x', '~', ':', '\\', '$', '(', ')', '+', '%', '_', '‘', '😀', '\u0000', '\ud800'],
]

/** Pieces that the pattern itself speaks of are what it repeats. */
function unitsOf({ source }: RegExp): string[] {
  const words = (source.match(/[A-Za-z]{2,}|[^\w\\()[\]]{1,2}/g) ?? []).slice(0, 20)
  const pairs = words.flatMap((word) => [` ${word}`, `${word}0`, `${word}a`, `"${word}`])
  return [
    ...new Set([...MARKS, ...words, ...pairs, "''", '""', '/*', '--', 'a ', '0.', '0e', '",']),
  ]
}

type TextOf = (characters: number) => string

function* worstTexts(pattern: RegExp): Generator<TextOf> {
  for (const unit of unitsOf(pattern)) {
    for (const before of ['', 'a', '"', "'", 'x', '/*']) {
      for (const after of ['', '!', 'a', '\n', '\u0000']) {
        yield (characters) => before + unit.repeat(Math.ceil(characters / unit.length)) + after
      }
    }
  }
}

/** All matches, as whatever uses it may seek them; the best of several times, in milliseconds. */
function timeOf(pattern: RegExp, text: string, tries: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let time = 0; time < tries; time += 1) {
    const began = performance.now()
    if (pattern.global) text.replace(pattern, '')
    else {
      pattern.lastIndex = 0
      pattern.exec(text)
    }
    best = Math.min(best, performance.now() - began)
  }
  return best
}

const CHARACTERS = 4_000
/** So long a pattern does not take for these characters unless it looks at each of them thousands of times. */
const SUSPECT_MS = 2

/** Undefined where the time of a pattern is linear in the text. */
function faultOf(pattern: RegExp): string | undefined {
  for (const textOf of worstTexts(pattern)) {
    const text = textOf(CHARACTERS)
    if (timeOf(pattern, text, 1) < SUSPECT_MS || timeOf(pattern, text, 5) < SUSPECT_MS) continue
    const once = timeOf(pattern, text, 5)
    const twice = timeOf(pattern, textOf(2 * CHARACTERS), 5)
    const figures = `${once.toFixed(1)} ms, twice as long ${twice.toFixed(1)} ms`
    if (twice > 3 * once) return `${JSON.stringify(text.slice(0, 20))}…: ${figures}`
  }
  return undefined
}

test('every regular expression of the source takes linear time for its worst text', async () => {
  const patterns = await patternsOfTheSource()
  assert.ok(patterns.length > 50)
  const faults = patterns.flatMap(({ place, pattern }) => {
    const fault = faultOf(pattern)
    return fault === undefined ? [] : [`${place} ${pattern} ${fault}`]
  })
  assert.deepEqual(faults, [])
})

test('a pattern that is not linear is found', () => {
  for (const pattern of [/=+$/, /^\s*(.+?)(?:\s+(asc|desc))?\s*$/is, /\s*a\s*$/g]) {
    assert.notEqual(faultOf(pattern), undefined, `${pattern}`)
  }
})
