// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Webhook } from 'standardwebhooks'

type Change = { table: string; op: string; key: unknown[]; row?: unknown }
type Message = {
  type: 'commit' | 'snapshot'
  data: { id: string; part: number; last: boolean; changes: Change[] }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS taken (id TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS part (message TEXT, number INTEGER, body TEXT, PRIMARY KEY (message, number));
  CREATE TABLE IF NOT EXISTS copy (tab TEXT, key TEXT, row TEXT, PRIMARY KEY (tab, key))`

/** Keeps a copy of the tables of a relay. It applies each commit once, whole, and in order, however often it comes. */
export function createReceiver(path: string, secretOf: () => string): Server {
  const db = new DatabaseSync(path)
  db.exec(SCHEMA)
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    try {
      new Webhook(secretOf()).verify(body, request.headers as Record<string, string>)
    } catch {
      response.writeHead(401).end()
      return
    }
    take(db, String(request.headers['webhook-id']), body)
    response.writeHead(204).end()
  })
  server.on('close', () => db.close())
  return server
}

/** One transaction: the id is there exactly when its changes are. */
function take(db: DatabaseSync, id: string, body: string): void {
  const { type, data } = JSON.parse(body) as Message
  db.exec('BEGIN IMMEDIATE')
  try {
    const { changes: isNew } = db.prepare('INSERT OR IGNORE INTO taken VALUES (?)').run(id)
    if (isNew === 1) {
      db.prepare('INSERT INTO part VALUES (?, ?, ?)').run(data.id, data.part, body)
      if (data.last) applyMessage(db, type, data.id)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function applyMessage(db: DatabaseSync, type: Message['type'], id: string): void {
  if (type === 'snapshot') db.exec('DELETE FROM copy')
  const parts = db.prepare('SELECT body FROM part WHERE message = ? ORDER BY number').all(id)
  for (const { body } of parts) {
    for (const { table, key, row } of (JSON.parse(String(body)) as Message).data.changes) {
      const address = [table, JSON.stringify(key)]
      if (row === undefined)
        db.prepare('DELETE FROM copy WHERE tab = ? AND key = ?').run(...address)
      else
        db.prepare('INSERT OR REPLACE INTO copy VALUES (?, ?, ?)').run(
          ...address,
          JSON.stringify(row),
        )
    }
  }
  db.prepare('DELETE FROM part WHERE message = ?').run(id)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
