import { percoliteCollection } from '@percolite/client/tanstack-db'
import { createCollection, eq, useLiveQuery } from '@tanstack/react-db'
import { useMemo, useState } from 'react'
import type { AppDatabase } from './session.ts'

type Lane = 'todo' | 'doing' | 'done'
type Card = {
  readonly id: string
  readonly title: string
  lane: Lane
  moved: string
  mover: string
}
type Props = { readonly db: AppDatabase; readonly user: string }
type Cards = ReturnType<typeof openCards>

const LANES: readonly Lane[] = ['todo', 'doing', 'done']

/** A live window: the cards that were moved last. Edits show at once, and are taken back where they are refused. */
function openCards(db: AppDatabase) {
  const sql = 'SCAN * FROM card USE INDEX cardsByMoved LIMIT 200'
  return createCollection(percoliteCollection<Card>({ db, sql, table: 'card', key: 'id' }))
}

export function App({ db, user }: Props) {
  const cards = useMemo(() => openCards(db), [db])
  const [problem, setProblem] = useState('')
  const run = ({ isPersisted }: { readonly isPersisted: { readonly promise: Promise<unknown> } }) =>
    isPersisted.promise.then(
      () => setProblem(''),
      (error: Error) => setProblem(error.message),
    )

  const add = (form: FormData) => {
    const title = String(form.get('title'))
    run(cards.insert({ id: crypto.randomUUID(), lane: 'todo', title, moved: now(), mover: user }))
  }
  const move = (id: string, lane: Lane) =>
    run(
      cards.update(id, (card) => {
        card.lane = lane
        card.moved = now()
        card.mover = user
      }),
    )

  return (
    <main>
      <h1>Board</h1>
      <div className="columns">
        {LANES.map((lane) => (
          <Column key={lane} cards={cards} lane={lane} move={move} />
        ))}
      </div>
      <form action={add}>
        <label>
          A card <input name="title" required maxLength={200} autoComplete="off" />
        </label>{' '}
        <button type="submit">Add</button>
      </form>
      <p role="alert">{problem}</p>
    </main>
  )
}

type ColumnProps = {
  readonly cards: Cards
  readonly lane: Lane
  readonly move: (id: string, lane: Lane) => void
}

function Column({ cards, lane, move }: ColumnProps) {
  const { data } = useLiveQuery({
    query: (q) =>
      q
        .from({ card: cards })
        .where(({ card }) => eq(card.lane, lane))
        .orderBy(({ card }) => card.moved, 'desc'),
  })
  const at = LANES.indexOf(lane)
  const button = (to: Lane | undefined, id: string, arrow: string) =>
    to && (
      <button type="button" aria-label={`to ${to}`} onClick={() => move(id, to)}>
        {arrow}
      </button>
    )
  return (
    <section aria-label={lane}>
      <h2>{lane}</h2>
      <ul>
        {data.map(({ id, title, mover }) => (
          <li key={id}>
            {button(LANES[at - 1], id, '←')} {title} ({mover}) {button(LANES[at + 1], id, '→')}
          </li>
        ))}
      </ul>
    </section>
  )
}

function now(): string {
  return new Date().toISOString()
}
