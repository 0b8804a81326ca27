// SPDX-License-Identifier: Apache-2.0

/** Of the element that holds the chosen view. */
export const PANEL_ID = 'panel'

export function tabId(view: string): string {
  return `tab-${view}`
}

/** Where a key leads to from the tab `at`; undefined for keys that lead nowhere. */
export function tabAfter(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count
    case 'ArrowLeft':
      return (at + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
