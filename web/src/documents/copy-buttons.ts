/** Puts a button on each block of code. Browsers copy only for pages of HTTPS or this machine. */
export function copyButtons(): void {
  if (!isSecureContext) return;
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    const copy = async (): Promise<void> => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
    };
    button.addEventListener('click', () => void copy());
    const frame = document.createElement('div');
    frame.className = 'code';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
