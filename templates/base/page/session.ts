import { connect, type Database } from '@percolite/client'
import type { Schema } from '../db.ts'

export type AppDatabase = Database<Schema>

/** Who is signed in, if anybody is, and where the database is. */
export async function readSession(): Promise<{
  readonly user?: string
  readonly database: string
}> {
  return await (await fetch('/session')).json()
}

/** The token is kept nowhere but in the client, which asks for another one before it ends. */
export function openDatabase(url: string): AppDatabase {
  return connect<Schema>({ url, token: async () => (await post('/token')).token })
}

export async function signIn(user: string): Promise<void> {
  await post('/sign-in', { user })
  location.reload()
}

export async function signOut(): Promise<void> {
  await post('/sign-out')
  location.reload()
}

/** What the app answers. Rejects where it refuses. */
async function post(path: string, body: object = {}) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const said = await answer.json()
  if (!answer.ok) throw new Error(said.message)
  return said
}
