// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ChildServer, freePorts } from '../../bench/servers/child-server.ts'
import { installedExecutable } from '../../bench/servers/executable.ts'
import type { TestCertificate } from '../server/test-certificate.ts'

export type BalancerName = 'haproxy' | 'nginx'

/** Where Debian has programs of the system, which are not on the PATH of each user. */
const SYSTEM_FOLDER = '/usr/sbin'

const PACKAGES: Readonly<Record<BalancerName, string>> = {
  haproxy: 'haproxy',
  nginx: 'nginx-light',
}

function programOf(name: BalancerName): string | undefined {
  return installedExecutable(name) ?? installedExecutable(join('..', SYSTEM_FOLDER, name))
}

/** What is missing on this machine, false where nothing is; with CI=true it throws instead. */
export function balancerSkipReason(name: BalancerName): string | false {
  if (programOf(name) !== undefined) return false
  const missing = `${name} is not there: apt-get install -y --no-install-recommends ${PACKAGES[name]}`
  if (process.env.CI === 'true') throw new Error(missing)
  return missing
}

type Place = {
  readonly folder: string
  readonly certificate: TestCertificate
  /** Hosts and ports. */
  readonly gateways: readonly string[]
}

/** A balancer with its file of `deploy/`, in which nothing but addresses and paths is another. */
export async function startBalancer(
  name: BalancerName,
  place: Place,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const [port] = await freePorts(1)
  const url = `https://127.0.0.1:${port}`
  const shipped = await readFile(new URL(`../../deploy/${configOf(name)}`, import.meta.url), 'utf8')
  const file = join(place.folder, configOf(name))
  const write = name === 'haproxy' ? haproxyFile : nginxFile
  const args = await write({ ...place, shipped: withGateways(shipped, place.gateways), port, file })
  const server = await ChildServer.start({
    name,
    program: programOf(name) as string,
    args,
    folder: place.folder,
    ready: async () => {
      const answer = await fetch(`${url}/readyz`)
      if (answer.status !== 200) throw new Error(`/readyz is ${answer.status}`)
    },
  })
  return { url, close: () => server.stop() }
}

function configOf(name: BalancerName): string {
  return name === 'haproxy' ? 'haproxy.cfg' : 'nginx.conf'
}

type Writing = Place & {
  readonly shipped: string
  readonly port: number | undefined
  readonly file: string
}

async function haproxyFile({
  shipped,
  certificate,
  folder,
  port,
  file,
}: Writing): Promise<string[]> {
  const { certificatePath, keyPath } = certificate
  const both = join(folder, 'percolite.pem')
  const parts = await Promise.all([certificatePath, keyPath].map((path) => readFile(path, 'utf8')))
  await writeFile(both, `${parts.join('\n')}\n`)
  const bound = replaced(shipped, 'bind :443', `bind 127.0.0.1:${port}`)
  await writeFile(file, replaced(bound, '/etc/haproxy/percolite.pem', both))
  return ['-db', '-f', file]
}

async function nginxFile({ shipped, certificate, folder, port, file }: Writing): Promise<string[]> {
  let text = replaced(shipped, 'listen 443', `listen 127.0.0.1:${port}`)
  text = replaced(text, '/etc/percolite/tls.crt', certificate.certificatePath)
  text = replaced(text, '/etc/percolite/tls.key', certificate.keyPath)
  await writeFile(file, text)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  )
  const main = join(folder, 'main.conf')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const inside = `access_log off; ${temporary.join(' ')} include ${file};`
  const log = `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr;`
  await writeFile(main, `${user} ${log} events {} http { ${inside} }\n`)
  return ['-p', folder, '-c', main, '-e', 'stderr']
}

function withGateways(shipped: string, gateways: readonly string[]): string {
  return gateways.reduce((text, gateway, at) => {
    // The first ones are in the lines that start a gateway, too.
    const own = `10.0.0.${at + 1}:4270`
    return replaced(text, own, gateway)
  }, shipped)
}

/** Fails where the shipped file has no such place. */
function replaced(text: string, place: string, by: string): string {
  if (!text.includes(place)) throw new Error(`The file of deploy/ has no ${place}.`)
  return text.replaceAll(place, by)
}
