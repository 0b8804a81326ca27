import { useLive } from '@percolite/client/react'
import { useState } from 'react'
import type { AppDatabase } from './session.ts'

type Props = { readonly db: AppDatabase; readonly user: string }
type Lot = {
  readonly id: string
  readonly title: string
  readonly least: string
  readonly ends: string
}
type Bid = { readonly bidder: string; readonly amount: string }
type Sale = { readonly buyer: string | null; readonly price: string | null }

const LOTS = 'SCAN id, title, least, ends FROM lot USE INDEX lotsByEnd LIMIT 50'
const BEST = 'SCAN bidder, amount FROM bid WHERE lot = :lot LIMIT 1'
const SALE = 'GET buyer, price FROM sale WHERE lot = :lot'

export function App({ db, user }: Props) {
  const { rows = [], state, error } = useLive<Lot>(db, LOTS)
  const [problem, setProblem] = useState('')
  const run = (write: Promise<unknown>) =>
    write.then(
      () => setProblem(''),
      (failure: Error) => setProblem(failure.message),
    )

  const putUp = async (form: FormData) => {
    const [title, least] = [String(form.get('title')), String(form.get('least'))]
    const ends = new Date(Date.now() + Number(form.get('seconds')) * 1000)
    await run(db.sql`INSERT INTO lot (id, title, seller, least, ends)
      VALUES (${crypto.randomUUID()}, ${title}, ${user}, ${least}, ${ends})`)
  }
  const bid = (lot: string, amount: string) =>
    run(db.sql`INSERT INTO bid (lot, amount, bidder) VALUES (${lot}, ${amount}, ${user})`)

  return (
    <main className={state}>
      <h1>Auction</h1>
      <ul aria-live="polite">
        {rows.map((lot) => (
          <LotItem key={lot.id} db={db} lot={lot} bid={bid} />
        ))}
      </ul>
      <form action={putUp}>
        <label>
          A lot <input name="title" required maxLength={200} autoComplete="off" />
        </label>{' '}
        <label>
          from{' '}
          <input name="least" required pattern="\d{1,10}(\.\d\d)?" defaultValue="10.00" size={8} />
        </label>{' '}
        <label>
          ends in <input name="seconds" type="number" min={1} max={864000} defaultValue={60} />{' '}
          seconds
        </label>{' '}
        <button type="submit">Put up</button>
      </form>
      <p role="alert">{problem || (state === 'failed' && error?.message)}</p>
    </main>
  )
}

type ItemProps = {
  readonly db: AppDatabase
  readonly lot: Lot
  readonly bid: (lot: string, amount: string) => Promise<void>
}

/** A lot with its best bid and how it ended, as they change. */
function LotItem({ db, lot: { id, title, least, ends }, bid }: ItemProps) {
  const best = useLive<Bid>(db, BEST, { lot: id }).rows?.[0]
  const sale = useLive<Sale>(db, SALE, { lot: id }).rows?.[0]
  if (sale !== undefined) {
    return (
      <li>
        <strong>{title}</strong>{' '}
        {sale.buyer === null ? 'not sold' : `sold to ${sale.buyer} for ${sale.price}`}
      </li>
    )
  }
  return (
    <li>
      <strong>{title}</strong>{' '}
      {best === undefined ? `from ${least}` : `${best.amount} by ${best.bidder}`}, until{' '}
      {new Date(ends).toLocaleTimeString()}
      <form action={(form) => bid(id, String(form.get('amount')))}>
        <label>
          Your bid{' '}
          <input name="amount" required pattern="\d{1,10}(\.\d\d)?" size={8} autoComplete="off" />
        </label>{' '}
        <button type="submit">Bid</button>
      </form>
    </li>
  )
}
