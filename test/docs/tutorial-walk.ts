import { expect } from 'vitest';
import type { TestBrowser } from '../support/browser.ts';
import { type TutorialBlock, tutorialBlocks } from './documented-blocks.ts';
import type { Terminal } from './terminal.ts';

/** Which ports the servers of the tutorial have, instead of 8080 and 8081. */
export interface TutorialPorts {
  readonly primary: number;
  readonly replica: number;
}

export interface TutorialWalk {
  readonly browser: TestBrowser;
  readonly ports: TutorialPorts;
  /** By its name in the page. */
  readonly terminalOf: (name: string) => Terminal;
}

/** Types every block of the tutorial in order, compares what it prints, and looks at its page. */
export async function walkTutorial({ browser, ports, terminalOf }: TutorialWalk): Promise<void> {
  const withPorts = (text: string): string =>
    text.replaceAll('8080', String(ports.primary)).replaceAll('8081', String(ports.replica));
  for (const block of tutorialBlocks()) {
    await typeBlock(terminalOf(block.terminal), block, withPorts);
    if (block.commands.includes('interface push')) await findRoute(browser, ports.primary);
  }
}

async function typeBlock(
  shell: Terminal,
  { place, commands, keepsRunning, fails, prints }: TutorialBlock,
  withPorts: (text: string) => string,
): Promise<void> {
  if (keepsRunning) {
    await shell.start(withPorts(commands));
    return;
  }
  const { code, output } = await shell.run(withPorts(commands));
  expect(code === 0 ? 'succeeds' : 'fails', `${place}\n${output}`).toBe(
    fails ? 'fails' : 'succeeds',
  );
  if (prints !== undefined) expect(output, place).toContain(prints);
}

async function findRoute(browser: TestBrowser, port: number): Promise<void> {
  await using tab = await browser.page({ server: { url: `http://127.0.0.1:${port}` } });
  const { page } = tab;
  await page.getByLabel('User').fill('bob');
  await page.getByLabel('Password').fill('bob-likes-to-fly');
  await page.getByRole('button', { name: 'Find' }).click();
  const answer = page.getByText('LSE La Crosse > ORD Chicago > CMI Champaign/Urbana');
  await answer.waitFor();
  expect(tab.complaints).toEqual([]);
}
