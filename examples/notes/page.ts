// SPDX-License-Identifier: Apache-2.0
// What runs in the browser. An application of its own imports '@percolite/client' and has a bundler find it.
import { connect, type Database, PercoliteError } from '../../client-sdk/client.ts'

type Note = { readonly owner: string; readonly id: number; readonly text: string }

/** What the end of the notes may be called, where the role of all users has lost its rights on them, or all of them. */
const REFUSALS = ['not_permitted', 'unknown_table', 'unauthenticated']

/** Who is signed in, if anybody is, and where the database is. */
type Session = { readonly user?: string; readonly database: string }

const signIn = element<HTMLFormElement>('sign-in')
const add = element<HTMLFormElement>('add')

const session: Session = await (await fetch('/session')).json()
if (session.user === undefined) {
  signIn.hidden = false
} else {
  element('notes').hidden = false
  element('user').textContent = session.user
  open(session.database, session.user)
}

onSubmit(signIn, async (fields) => {
  await post('/sign-in', String(fields.get('user')))
  location.reload()
})

element('sign-out').addEventListener('click', () => {
  post('/sign-out').then(() => location.reload(), tell)
})

/** Shows the notes of a user as they change, and lets more be added. */
function open(database: string, user: string): void {
  // The token is kept nowhere but in the client, which asks for another one before it ends.
  const db = connect({ url: database, token: () => post('/token') })
  follow(db).catch(tell)
  onSubmit(add, async (fields) => {
    await db.sql`INSERT INTO note (owner, id, text) VALUES (${user}, ${Date.now()}, ${fields.get('text') as string})`
    add.reset()
  })
}

/** The rule of the role leaves the notes of this user, so the statement asks for all there are. */
async function follow(db: Database): Promise<void> {
  for await (const notes of db.live<Note>('SCAN * FROM note')) {
    element('list').replaceChildren(...notes.map(itemOf))
  }
}

function itemOf({ text }: Note): HTMLElement {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

/** What the application answers. Rejects where it refuses. */
async function post(path: string, body = ''): Promise<string> {
  const answer = await fetch(path, { method: 'POST', body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

function onSubmit(form: HTMLFormElement, run: (fields: FormData) => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    element('problem').textContent = ''
    run(new FormData(form)).catch(tell)
  })
}

function tell(error: unknown): void {
  const { message } = error as Error
  const isRefused = error instanceof PercoliteError && REFUSALS.includes(error.code)
  if (isRefused) element('list').replaceChildren()
  element('problem').textContent = isRefused
    ? `You may not see or change notes any more: ${message}`
    : message
}

function element<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E
}
