// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const TREE = fileURLToPath(new URL('../..', import.meta.url))

const HTML = `<!doctype html>
<html lang="en">
<title>Tasks</title>
<label>List <input id="list" value="h"></label>
<label>Task <input id="task"></label>
<p role="alert"></p>
<ul></ul>
<script type="module" src="/page.js"></script>
`

/** What is typed into "Task" is the title of task 1; what the server refuses is said. */
const PROGRAM = `
import { BasicIndex, createCollection, createLiveQueryCollection, eq } from '@tanstack/db'
import { connect } from '@percolite/client'
import { percoliteCollection } from '@percolite/client/tanstack-db'

const url = new URLSearchParams(location.search).get('database')
const db = connect({ url })
const indexes = { autoIndex: 'eager', defaultIndexType: BasicIndex }
const tasks = createCollection(percoliteCollection({ db, table: 'task', ...indexes }))
const lists = createCollection(percoliteCollection({ db, table: 'list', ...indexes }))
const shown = createLiveQueryCollection((q) =>
  q
    .from({ task: tasks })
    .join({ list: lists }, ({ task, list }) => eq(task.list, list.id), 'inner')
    .orderBy(({ task }) => task.title)
    .select(({ task, list }) => ({ id: task.id, title: task.title, list: list.name })),
)

window.states = []
const [list, task] = document.querySelectorAll('input')
const said = (error) => {
  document.querySelector('p').textContent = error.code ?? error.message
}
shown.subscribeChanges(
  () => {
    const texts = shown.toArray.map((row) => row.list + ': ' + row.title)
    window.states.push(texts.join())
    document.querySelector('ul').replaceChildren(
      ...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })),
    )
  },
  { includeInitialState: true },
)
task.addEventListener('keydown', ({ key }) => {
  if (key !== 'Enter') return
  const edited = tasks.update(1, (draft) => {
    draft.title = task.value
    draft.list = list.value
  })
  edited.isPersisted.promise.catch(said)
})
`

/** A page whose rows are sorted, joined and edited: in one folder with nothing, but for its program and the client. */
export async function startEditedPage(context: { after(clean: () => Promise<void>): void }) {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: TREE },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['percolite:source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  const program = outputFiles[0]?.text ?? ''
  const server = createServer((request, response) => {
    const isProgram = request.url === '/page.js'
    response.setHeader('content-type', isProgram ? 'text/javascript' : 'text/html')
    response.end(isProgram ? program : HTML)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return { origin, at: (database: string) => `${origin}/?${new URLSearchParams({ database })}` }
}
