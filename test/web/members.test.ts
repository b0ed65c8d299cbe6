import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Members, type MemberNode } from '../cluster/members.ts';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requireChromium, requirePostgres } from '../support/requires.ts';
import { startWorkspace } from '../support/workspace.ts';

const PATH = '#/admin/members';
const NARROW = { width: 390, height: 844 };
const isMissing = [requireChromium(), requirePostgres()].includes(true);

describe.skipIf(isMissing)('the page of members', () => {
  const browser = useBrowser();
  let postgres: PostgresServer;
  let members: Members;
  let oslo: MemberNode;
  let rome: MemberNode;
  beforeAll(async () => {
    postgres = await startPostgres({ tcp: true });
    members = await Members.create(`postgres://postgres@127.0.0.1:${postgres.port}/postgres`);
    oslo = await members.start('oslo');
    await oslo.process.ready;
    rome = await members.start('rome');
    await rome.process.ready;
  });
  afterAll(async () => {
    await members[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });
  const at = ({ address, http }: MemberNode) => ({ server: { url: address }, http });

  test('shows who leads and how far each is, and lets another one lead', async () => {
    await using opened = await browser.signedInPage(at(oslo), { path: PATH });
    const { page } = opened;
    const table = page.getByRole('table', { name: 'Members' });
    await table.getByRole('row', { name: /^oslo.*Primary/ }).waitFor();
    await table.getByRole('row', { name: /^rome.*Follower/ }).waitFor();
    await page.getByText('PostgreSQL waits for no standby').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Step down' }).click();
    const dialog = page.getByRole('alertdialog', { name: /another member lead instead of “oslo”/ });
    await dialog.getByRole('button', { name: 'Step down' }).click();
    await table.getByRole('row', { name: /^rome.*Primary/ }).waitFor();
    const takeovers = page.getByRole('table', { name: 'Takeovers' });
    await takeovers.getByRole('row', { name: /^rome/ }).first().waitFor();
    await page.setViewportSize(NARROW);
    await expectAccessibleInBothThemes(page);
  });

  test('says of a server that is alone what to do', async () => {
    await using workspace = await startWorkspace();
    await using opened = await browser.signedInPage(workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('This workspace has one server').waitFor();
    expect(await page.getByRole('button', { name: 'Step down' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Several machines' }).click();
    await page.getByRole('heading', { level: 1, name: 'Several machines' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
