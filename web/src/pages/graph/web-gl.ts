/** Whether the browser draws with WebGL, which it may refuse without a graphics card. */
export function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
  // There are only some contexts for all pages of a browser.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
