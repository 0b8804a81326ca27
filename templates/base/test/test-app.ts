import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect, type Database } from '@percolite/client'
import { startServer } from 'percolite/testing'
import { Issuer } from '../app/issuer.ts'
import { AUDIENCE, ORIGIN } from '../settings.ts'

/** A database of the test's own, in memory, with all migrations; `as` connects as a user. */
export async function startTestApp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'app-'))
  const issuer = await Issuer.open({ folder, issuer: ORIGIN, audience: AUDIENCE })
  const tokenFile = join(folder, 'admin-token')
  const server = await startServer({
    'admin-token-file': tokenFile,
    'jwt-issuer': ORIGIN,
    'jwt-audience': AUDIENCE,
    'jwt-keys': join(folder, 'public.json'),
    ...(existsSync('observers.ts') ? { observers: 'observers.ts' } : {}),
  })
  const open: Database[] = []
  const connected = (token: string | (() => Promise<string>)): Database => {
    const db = connect({ url: server.url, token })
    open.push(db)
    return db
  }
  t.after(async () => {
    for (const db of open) db.close()
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const admin = connected(readFileSync(tokenFile, 'utf8').trim())
  for (const name of readdirSync('migrations').sort()) {
    await admin.script(readFileSync(join('migrations', name), 'utf8'))
  }
  return { admin, as: (user: string) => connected(() => issuer.tokenFor(user)) }
}
