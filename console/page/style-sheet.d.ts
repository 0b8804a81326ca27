// SPDX-License-Identifier: Apache-2.0

/** What a view imports `with { type: 'css' }`. */
declare module '*.css' {
  const sheet: CSSStyleSheet
  export default sheet
}
