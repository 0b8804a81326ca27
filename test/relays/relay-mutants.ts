// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant, type TestOfFile } from '../simulation/mutants/mutant.ts'

const SENDER = 'server/live/relays/relay-sender.ts'
const MESSAGE = 'server/live/relays/relay-message.ts'
const CONNECTION = 'server/live/relays/relay-connection.ts'
const ADDRESSES = 'server/live/relays/relay-addresses.ts'
const ROWS = 'server/live/relays/relay-rows.ts'
const RETRY = 'server/live/relays/retry.ts'

const sending = testsOf('server/live/relays/relays.test.ts')
const access = testsOf('server/live/relays/relay-access.test.ts')
const addresses = testsOf('server/live/relays/relay-addresses.test.ts')
const gateways = testsOf('server/live/relays/relay-gateways.system.test.ts')

const RESTARTED = sending(
  'after a restart it goes on where it was, in the middle of a commit as well',
)
const LOST_ANSWERS = sending(
  'answers that are lost: the same message comes again under its id, and the example applies it once',
)
const LONG_COMMIT = sending(
  'a commit of 5 MB goes out in parts of one commit, and is applied when all are there',
)
const AWAY = testsOf('server/live/relays/relay-away.test.ts')(
  'a receiver is away for an hour: few tries, nothing kept in memory, and then each commit once, in order',
)
const REPLACED = gateways(
  'a gateway that is paused is replaced, and finishes at most the message that it had in hand when it is back',
)

const DELIVERED = '    await this.#deliver(relayMessage(this.#held.relay, part, rows), signal)\n'

/** Of relays: what is sent, in which order, by whom, to where, and how often. */
export const RELAY_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'relayMovesOnUnanswered',
    what: 'the position is written before the receiver has taken the message',
    file: SENDER,
    find: DELIVERED,
    replace: '',
    more: [
      {
        file: SENDER,
        find: '    this.#hasWarned = false\n    return true\n',
        replace: `${DELIVERED}    this.#hasWarned = false\n    return true\n`,
      },
    ],
    caughtBy: RESTARTED,
  }),
  mutant({
    name: 'relayPartIsACommit',
    what: 'the position moves after the first part of a commit',
    file: SENDER,
    find: 'if (rows.isLast) return { ...sent, position',
    replace: 'if (true) return { ...sent, position',
    caughtBy: LONG_COMMIT,
  }),
  mutant({
    name: 'relayPartsOfOneId',
    what: 'all parts of a commit have one id, by which a receiver tells messages apart',
    file: MESSAGE,
    find: 'id: part === 1 ? commitId : ',
    replace: 'id: part >= 1 ? commitId : ',
    caughtBy: LONG_COMMIT,
  }),
  mutant({
    name: 'relayPartMadeAgain',
    what: 'a part that may have been taken is put together again, by the rights of later',
    file: SENDER,
    find: 'if (!isWhole && part.end === undefined) {',
    replace: 'if (false) {',
    caughtBy: sending(
      'a part that may have been taken is not another one after the rights have changed: no row is lost',
    ),
  }),
  mutant({
    name: 'relayIdOfEachTry',
    what: 'a message has another id whenever it is sent',
    file: MESSAGE,
    find: '  const time = new Date(now / 1_000)\n',
    replace: "  const time = new Date(now / 1_000)\n  id += '-' + now\n",
    caughtBy: LOST_ANSWERS,
  }),
  mutant({
    name: 'relayCommitsAtOnce',
    what: 'the next commits are sent while one is not taken yet',
    file: SENDER,
    find: 'for (const commit of page.commits) await this.#sendCommit(commit, signal)',
    replace: 'await Promise.all(page.commits.map((commit) => this.#sendCommit(commit, signal)))',
    caughtBy: AWAY,
  }),
  mutant({
    name: 'relayPassesOverFailures',
    what: 'a message that was not taken at its second try is left out',
    file: SENDER,
    find: "if (outcome.kind === 'taken') return\n",
    replace: "if (outcome.kind === 'taken' || failing !== undefined) return\n",
    caughtBy: AWAY,
  }),
  mutant({
    name: 'relayOfTwoSenders',
    what: 'a server that another one has replaced goes on sending',
    file: 'server/live/relays/relay-progress.ts',
    find: 'const isHeld = holder === this.#holder && epoch',
    replace: 'const isHeld = (holder ?? this.#holder) !== undefined && epoch',
    caughtBy: REPLACED,
  }),
  mutant({
    name: 'relayTakenFromTheLiving',
    what: 'a server takes over a relay that a living one sends',
    file: 'server/live/relays/relays.ts',
    find: 'progress.holder === undefined || !(living?.has(progress.holder) ?? false)',
    replace: 'living !== undefined',
    caughtBy: gateways(
      'of two gateways one sends, also what the other has committed; when it stops, the other goes on',
    ),
  }),
  mutant({
    name: 'relaySeesAll',
    what: 'rows are sent that the role of the relay may not see',
    file: ROWS,
    find: 'viewOfRole(relay.role ?? ADMIN_ROLE, catalog)',
    replace: 'viewOfRole(ADMIN_ROLE, catalog)',
    caughtBy: access(
      'a relay of a role sends the rows of its rules only, and says what enters and leaves',
    ),
  }),
  mutant({
    name: 'relaySkipsWhatIsGone',
    what: 'a position below the safe point goes on from there, and nobody is told of what lies between',
    file: SENDER,
    find: 'await storage.feed.read(position, {\n',
    replace: 'await storage.feed.read(Math.max(position, storage.status().safePoint), {\n',
    more: [
      { file: SENDER, find: 'await storage.feed.read(position, { rowsMax: 1 })', replace: '' },
    ],
    caughtBy: sending(
      'a position below the safe point stops it, seen, and it holds no collection back',
    ),
  }),
  mutant({
    name: 'relayIdleFallsBehind',
    what: 'the position is not written while nothing is to be sent, and falls below the safe point',
    file: SENDER,
    find: 'if (!isDue && (wasIdle || !isIdle)) return',
    replace: 'if (isDue || wasIdle || !isIdle) return',
    caughtBy: sending(
      'nothing to send for longer than the retention: its position goes on, and it is not too old',
    ),
  }),
  mutant({
    name: 'relayNeverBacksOff',
    what: 'a receiver that is away is tried every few seconds, however long it has been away',
    file: SENDER,
    find: 'if (waitMs > 0) await clock.sleep(waitMs, signal)',
    replace: 'if (waitMs > 0) await clock.sleep(5_000, signal)',
    caughtBy: AWAY,
  }),
  mutant({
    name: 'retryAfterIgnored',
    what: 'a receiver that asks for a pause is tried before its end',
    file: RETRY,
    find: 'Math.max(retryAfterMs, backoffMs(tries + 1, RETRY, randomness))',
    replace: 'backoffMs(tries + 1, RETRY, randomness)',
    caughtBy: sending('429 with Retry-After is tried again then, and not before'),
  }),
  mutant({
    name: 'relayFollowsRedirects',
    what: 'a message goes where a redirect says',
    file: CONNECTION,
    find: '          resolve(answerOf(response))\n',
    replace: `          const { location } = response.headers
          if (location === undefined) return resolve(answerOf(response))
          const next = new RelayConnection(location, this.#addresses, this.#answerMsMax)
          resolve(next.#send(headers, body, signal))
`,
    caughtBy: sending('a redirect is followed nowhere'),
  }),
  mutant({
    name: 'relayLooksAtTheFirstAddress',
    what: 'a name is allowed by its first address, whatever the others are',
    file: ADDRESSES,
    find: 'addresses.find(({ address })',
    replace: 'addresses.slice(0, 1).find(({ address })',
    caughtBy: addresses(
      'a name that resolves to this machine is not connected to: not localhost, and not one of two addresses',
    ),
  }),
  mutant({
    name: 'relayForgetsTheFormerSecret',
    what: 'a message is signed by the newest secret alone while one is rotated',
    file: MESSAGE,
    find: 'former.until > now ? [secret, former.secret]',
    replace: 'former.until > now ? [secret]',
    caughtBy: access(
      'two secrets count while one is rotated, and messages have a signature by each',
    ),
  }),
]

function testsOf(file: string): (test: string) => TestOfFile {
  return (test) => ({ file, test })
}
