// SPDX-License-Identifier: Apache-2.0

/** As names and labels are written here: `bufferedBytes` is `buffered_bytes`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
