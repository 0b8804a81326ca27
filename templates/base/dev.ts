import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createApp } from './app/app.ts'
import { AUDIENCE, DATABASE, KEYS, ORIGIN } from './settings.ts'

// npm run dev: the database with its migrations, the types of its tables, and the app with its page.

const TOKEN = `${KEYS}/admin-token`
const { port: databasePort } = new URL(DATABASE)
const READY_MS_MAX = 30_000

const app = await createApp({ isDev: true })
const database = percolite(
  ...['serve', '--port', databasePort, '--data', 'data', '--admin-token-file', TOKEN],
  ...[
    '--audit',
    'audit.log',
    '--allow-origin',
    ORIGIN,
    '--jwt-issuer',
    ORIGIN,
    '--jwt-audience',
    AUDIENCE,
  ],
  ...['--jwt-keys', `${KEYS}/public.json`],
  ...(existsSync('observers.ts') ? ['--observers', 'observers.ts'] : []),
)
database.once('exit', async (code) => {
  await app.close()
  process.exitCode = code ?? 1
})
process.once('SIGTERM', () => database.kill('SIGTERM'))
// Ctrl-C goes to the database too, whose end ends the app.
process.once('SIGINT', () => {})

await isReady()
await done('migrate', DATABASE, '--token-file', TOKEN)
await done('types', DATABASE, '--token-file', TOKEN, '--out', 'db.ts')
await app.listen({ port: Number(new URL(ORIGIN).port), host: '127.0.0.1' })
console.log(`app at ${ORIGIN}; console of the database ${DATABASE}/console/, token in ${TOKEN}`)

function percolite(...args: readonly string[]) {
  return spawn('node_modules/.bin/percolite', args, { stdio: 'inherit' })
}

async function done(...args: readonly string[]): Promise<void> {
  const code = await new Promise<number | null>((resolve) =>
    percolite(...args).once('close', resolve),
  )
  if (code !== 0) fail(`percolite ${args[0]} failed`)
}

async function isReady(): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX
  while (database.exitCode === null && Date.now() < deadline) {
    const answer = await fetch(`${DATABASE}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  fail('the database did not start')
}

function fail(why: string): never {
  console.error(`dev: ${why}`)
  database.kill('SIGTERM')
  process.exit(1)
}
