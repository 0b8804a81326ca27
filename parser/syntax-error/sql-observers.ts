// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Advice, indexOf, piece, type WrongStatement } from './wrong-statement.ts'

const OBSERVER = 'what runs when rows change is an observer'
const SUBSCRIPTION =
  'changes are pushed to whoever subscribes to a GET or a SCAN, on /v1/socket or by GET /v1/changes'

const RELAY =
  "commits are sent to a URL by a relay: CREATE RELAY name ON TABLES table, … TO 'https://…'"

/** How other databases say what is to happen when rows change. */
export function foreignObserver(wrong: WrongStatement): Advice | undefined {
  const words = piece(wrong, 0, 4).toUpperCase()
  if (/^CREATE (OR REPLACE )?(CONSTRAINT )?TRIGGER\b/.test(words)) return ofCreateTrigger(wrong)
  if (/^(PAUSE|RESUME) (RELAY|OBSERVER)\b/.test(words)) return ofSwitched(wrong)
  if (/^CREATE WEBHOOK\b/.test(words)) return { advice: RELAY }
  if (/^SHOW RELAYS?\b/.test(words)) {
    return { advice: 'relays are shown by', rewritten: 'SHOW RELAYS' }
  }
  if (/^CREATE (WEAK )?OBSERVER\b/.test(words)) return ofCreateObserver(wrong)
  if (/^CREATE SCHEDULE\b/.test(words)) return ofCreateSchedule(wrong)
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
  const due = indexOf(wrong, keyword.Due)
  if (due > 0 && due < at) return ofDue(wrong, due)
  if (tokens[at - 1]?.tokenType !== token.RightParenthesis) return undefined
  return {
    advice: 'an observer is told of every row, and decides by itself what it does',
    rewritten: piece(wrong, 0, at),
  }
}

/** One column has the time, and nothing follows it. */
function ofDue(wrong: WrongStatement, due: number): Advice {
  const { tokens, at } = wrong
  const advice = 'DUE names the one column with the time'
  if (at > due + 1) return { advice, rewritten: piece(wrong, 0, at) }
  const isInParentheses = tokens[at]?.tokenType === token.LeftParenthesis
  const column = isInParentheses ? tokens[at + 1]?.image : undefined
  const before = piece(wrong, 0, at)
  if (column !== undefined) return { advice, rewritten: `${before} ${column}` }
  return { advice: `${advice}: ${before} column` }
}

/** CREATE SCHEDULE n EVERY 1 DAY … -> CREATE SCHEDULE n EVERY '1 day' … */
function ofCreateSchedule(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const isBare =
    tokens[at - 1]?.tokenType === keyword.Every && /^\d+$/.test(tokens[at]?.image ?? '')
  if (!isBare) return undefined
  const period = piece(wrong, at, at + 2).toLowerCase()
  const rest = piece(wrong, at + 2)
  return {
    advice: 'the period of a schedule is a text',
    rewritten: `${piece(wrong, 0, at)} '${period}'${rest === '' ? '' : ` ${rest}`}`,
  }
}

/** RESUME RELAY x FROM SNAPSHOT -> ALTER RELAY x RESUME FROM SNAPSHOT */
function ofSwitched(wrong: WrongStatement): Advice {
  const word = piece(wrong, 0, 1).toUpperCase()
  const [kind, name, rest] = [piece(wrong, 1, 2).toUpperCase(), piece(wrong, 2, 3), piece(wrong, 3)]
  const more = rest === '' ? '' : ` ${rest}`
  return { advice: 'that is an ALTER', rewritten: `ALTER ${kind} ${name} ${word}${more}` }
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
