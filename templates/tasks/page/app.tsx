import { useLive } from '@percolite/client/react'
import { useState } from 'react'
import type { AppDatabase } from './session.ts'

type Props = { readonly db: AppDatabase; readonly user: string }
type Task = { readonly id: number; readonly title: string; readonly done: boolean }

/** The rule of the role leaves the tasks of this user, so the statement asks for all there are. */
const TASKS = 'SCAN id, title, done FROM task'

export function App({ db, user }: Props) {
  const { rows = [], state, error } = useLive<Task>(db, TASKS)
  const [problem, setProblem] = useState('')
  const run = (write: Promise<unknown>) =>
    write.then(
      () => setProblem(''),
      (failure: Error) => setProblem(failure.message),
    )

  const add = async (form: FormData) => {
    const title = String(form.get('title'))
    await run(db.sql`INSERT INTO task (owner, id, title) VALUES (${user}, ${Date.now()}, ${title})`)
  }
  const setDone = (id: number, done: boolean) =>
    run(db.sql`SET done = ${done} ON task WHERE owner = ${user} AND id = ${id}`)

  return (
    <main className={state}>
      <h1>Tasks</h1>
      <ul aria-live="polite">
        {rows.map(({ id, title, done }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={done} onChange={() => setDone(id, !done)} /> {title}
            </label>
          </li>
        ))}
      </ul>
      <form action={add}>
        <label>
          A task <input name="title" required maxLength={200} autoComplete="off" />
        </label>{' '}
        <button type="submit">Add</button>
      </form>
      <p role="alert">{problem || (state === 'failed' && error?.message)}</p>
    </main>
  )
}
