import type { Locator, Page } from 'playwright-core';

/**
 * Replaces the text of a code editor as one who pastes. `fill` would let the browser edit by
 * itself, and it takes the styles of what was there along, which the policy of the page refuses.
 */
export async function write(page: Page, field: Locator, text: string): Promise<void> {
  await field.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}
