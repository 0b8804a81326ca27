// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

// The kernel counts in ticks of USER_HZ, which is 100 on every Linux that Node runs on.
const TICKS_PER_SECOND = 100

type ProcessTimes = { readonly parent: number; readonly ticks: number; readonly endedTicks: number }

/**
 * CPU seconds that a process has used since it began, user and system, with all its descendants:
 * living ones, and those it has waited for. Undefined where the system has no /proc.
 */
export function cpuSecondsOfTree(pid: number): number | undefined {
  const tree = treeOf(pid)
  if (tree === undefined) return undefined
  let ticks = 0
  for (const { ticks: own, endedTicks } of tree.values()) ticks += own + endedTicks
  return ticks / TICKS_PER_SECOND
}

/** Of several; what ended, or the system does not tell, counts as nothing. */
export function cpuSecondsOfTrees(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (cpuSecondsOfTree(pid) ?? 0), 0)
}

/** Bytes that a process and its living descendants have given to the disk; 0 where the system does not tell. */
export function writtenBytesOfTree(pid: number): number {
  let bytes = 0
  for (const one of treeOf(pid)?.keys() ?? []) {
    try {
      const text = readFileSync(`/proc/${one}/io`, 'utf8')
      bytes += Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? 0)
    } catch {
      // It has ended meanwhile.
    }
  }
  return bytes
}

/** The process and its living descendants; undefined where the system has no /proc, or it has ended. */
function treeOf(pid: number): ReadonlyMap<number, ProcessTimes> | undefined {
  const times = new Map<number, ProcessTimes>()
  try {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      const one = timesOf(name)
      if (one !== undefined) times.set(Number(name), one)
    }
  } catch {
    return undefined
  }
  if (!times.has(pid)) return undefined
  return new Map([...times].filter(([one]) => belongsTo(one, pid, times)))
}

function belongsTo(pid: number, root: number, times: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let one: number | undefined = pid; one !== undefined; one = times.get(one)?.parent) {
    if (one === root) return true
  }
  return false
}

/** A process may end between its being listed and its being read; then it is left out. */
function timesOf(pid: string): ProcessTimes | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The second field, the name in parentheses, may hold blanks: count behind it (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index])
  return {
    parent: number(1),
    ticks: number(11) + number(12),
    endedTicks: number(13) + number(14),
  }
}

/** Resident memory of a process: now, or the most that it had. 0 where the system does not tell. */
export function mebibytesOf(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** The bytes of all files below a folder. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may go between its being listed and its being looked at.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += found?.size ?? 0
  }
  return bytes
}
