// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BasicIndex, createCollection, eq } from '@tanstack/db'
import { useLiveQuery } from '@tanstack/react-db'
import { mount } from '../../test/client-sdk/mounted.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { percoliteCollection } from './percolite-collection.ts'

// The hook of the library in components that React mounts, over the real server.

type Task = { readonly id: number; readonly person: string; readonly title: string }
type Person = { readonly id: string; readonly name: string }

const { db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
await db.query(
  "CREATE TABLE task (id INTEGER PRIMARY KEY, person TEXT NOT NULL, title TEXT NOT NULL CHECK (title <> ''))",
)
await db.query("INSERT INTO person (id, name) VALUES ('a', 'Ann'), ('b', 'Bob')")
await db.query("INSERT INTO task (id, person, title) VALUES (1, 'a', 'sweep'), (2, 'b', 'cook')")

const indexes = { autoIndex: 'eager', defaultIndexType: BasicIndex } as const
const tasks = createCollection(percoliteCollection<Task>({ db, table: 'task', ...indexes }))
const people = createCollection(percoliteCollection<Person>({ db, table: 'person', ...indexes }))

/** `name:title` of each row, in their order. */
function useTasks(): string {
  const { data } = useLiveQuery((q) =>
    q
      .from({ task: tasks })
      .join({ person: people }, ({ task, person }) => eq(task.person, person.id), 'inner')
      .orderBy(({ task }) => task.title)
      .select(({ task, person }) => ({ id: task.id, title: task.title, name: person.name })),
  )
  return data.map(({ title, name }) => `${name}:${title}`).join()
}

test('a component shows the joined rows in their order, edits at once, and what comes of them', async (t) => {
  const { shown, until } = mount(t, useTasks, undefined)
  const untilShown = (text: string) => until((one) => one === text)
  await untilShown('Bob:cook,Ann:sweep')
  const edited = tasks.update(1, (draft) => {
    draft.title = 'a walk'
  })
  await untilShown('Ann:a walk,Bob:cook')
  const inserted = tasks.insert({ id: 3, person: 'b', title: 'bake' })
  await untilShown('Ann:a walk,Bob:bake,Bob:cook')
  await Promise.all([edited, inserted].map((one) => one.isPersisted.promise))
  await db.query("SET name = 'Bo' ON person WHERE id = 'b'")
  await untilShown('Ann:a walk,Bo:bake,Bo:cook')
  const refused = tasks.update(3, (draft) => {
    draft.title = ''
  })
  await untilShown('Bo:,Ann:a walk,Bo:cook')
  await assert.rejects(refused.isPersisted.promise, { code: 'check_failed' })
  await untilShown('Ann:a walk,Bo:bake,Bo:cook')
  assert.deepEqual(
    shown.filter((text, at) => text !== '' && text !== shown[at - 1]),
    [
      'Bob:cook,Ann:sweep',
      'Ann:a walk,Bob:cook',
      'Ann:a walk,Bob:bake,Bob:cook',
      'Ann:a walk,Bo:bake,Bo:cook',
      'Bo:,Ann:a walk,Bo:cook',
      'Ann:a walk,Bo:bake,Bo:cook',
    ],
  )
})
