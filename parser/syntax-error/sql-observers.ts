// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Advice, indexOf, piece, type WrongStatement } from './wrong-statement.ts'

const OBSERVER = 'what runs when rows change is an observer'
const SUBSCRIPTION =
  'changes are pushed to whoever subscribes to a GET or a SCAN, on /v1/socket or by GET /v1/changes'

/** How other databases say what is to happen when rows change. */
export function foreignObserver(wrong: WrongStatement): Advice | undefined {
  const words = piece(wrong, 0, 4).toUpperCase()
  if (/^CREATE (OR REPLACE )?(CONSTRAINT )?TRIGGER\b/.test(words)) return ofCreateTrigger(wrong)
  if (/^CREATE (WEAK )?OBSERVER\b/.test(words)) return ofCreateObserver(wrong)
  if (/^DROP TRIGGER\b/.test(words)) return ofDropTrigger(wrong)
  if (/^SHOW (TRIGGERS|OBSERVERS?)\b/.test(words)) {
    return { advice: 'observers are shown by', rewritten: 'SHOW OBSERVERS' }
  }
  if (/^ALTER TABLE\b/.test(words)) return ofSwitchedTrigger(wrong)
  if (/^(UN)?LISTEN\b|^SUBSCRIBE\b|^LIVE SELECT\b/.test(words)) return { advice: SUBSCRIPTION }
  if (/^NOTIFY\b/.test(words) && indexOf(wrong, keyword.Where) < 0) {
    return {
      advice:
        'NOTIFY tells a weak observer of one row: NOTIFY observer ON table WHERE full primary key',
    }
  }
  return undefined
}

/** CREATE TRIGGER x AFTER UPDATE OF a, b ON t … -> CREATE OBSERVER x ON t (a, b) */
function ofCreateTrigger(wrong: WrongStatement): Advice {
  const { tokens } = wrong
  const name = wordAt(wrong, 'TRIGGER') + 1
  const of = indexOf(wrong, keyword.Of)
  const on = indexOf(wrong, keyword.On)
  if (of < 0 || on < of) return { advice: `${OBSERVER}: CREATE OBSERVER name ON table (column, …)` }
  const or = tokens.findIndex(({ tokenType }, at) => at > of && tokenType === keyword.Or)
  const columns = piece(wrong, of + 1, or > of && or < on ? or : on)
  const table = tokens[on + 1]?.image
  return {
    advice: OBSERVER,
    rewritten: `CREATE OBSERVER ${tokens[name]?.image} ON ${table} (${columns})`,
  }
}

function ofCreateObserver(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  if (tokens[at - 2]?.tokenType === keyword.On) {
    const advice = 'an observer names the columns whose changes it is told of'
    return { advice: `${advice}: ${piece(wrong, 0, at)} (column, …)` }
  }
  if (tokens[at - 1]?.tokenType !== token.RightParenthesis) return undefined
  return {
    advice: 'an observer is told of every row, and decides by itself what it does',
    rewritten: piece(wrong, 0, at),
  }
}

function ofDropTrigger(wrong: WrongStatement): Advice {
  const on = indexOf(wrong, keyword.On)
  const name = piece(wrong, 2, on < 0 ? wrong.tokens.length : on)
  return { advice: OBSERVER, rewritten: `DROP OBSERVER ${name}` }
}

/** ALTER TABLE t DISABLE TRIGGER x -> ALTER OBSERVER x PAUSE */
function ofSwitchedTrigger(wrong: WrongStatement): Advice | undefined {
  const trigger = wordAt(wrong, 'TRIGGER')
  const word = wrong.tokens[trigger - 1]?.image.toUpperCase()
  if (trigger < 0 || (word !== 'DISABLE' && word !== 'ENABLE')) return undefined
  const name = wrong.tokens[trigger + 1]?.image
  const rewritten = `ALTER OBSERVER ${name} ${word === 'ENABLE' ? 'RESUME' : 'PAUSE'}`
  return { advice: OBSERVER, rewritten }
}

function wordAt({ tokens }: WrongStatement, word: string): number {
  return tokens.findIndex(({ image }) => image.toUpperCase() === word)
}
