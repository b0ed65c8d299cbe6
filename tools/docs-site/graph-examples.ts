import type { GraphReads } from '../../endpoint/src/graph-reads.ts';
import type { GraphWrites, Writes } from '../../endpoint/src/graph-writes.ts';
import type { Example, ExamplesOf } from './example.ts';

export const GRAPH_READS_EXAMPLES: ExamplesOf<GraphReads> = {
  get: {
    code: `export default async ({ graph }: Scope) => (await graph.get('City', 'Linz')).People;`,
    answer: 210_000,
  },
  tryGet: {
    code: `export default async ({ graph, notFound }: Scope) => {
  const city = await graph.tryGet('City', 'Linz');
  return city === null ? notFound('There is no such city.') : city.Country;
};`,
    answer: 'Austria',
  },
  getMany: {
    code: `export default async ({ graph }: Scope) => {
  const cities = await graph.getMany('City', ['Linz', 'Atlantis']);
  return cities.map((city) => city?.Country ?? null);
};`,
    answer: ['Austria', null],
  },
  version: {
    code: `export default async ({ graph }: Scope) => graph.version('City', 'Atlantis');`,
    answer: 0,
  },
};

export const WRITES_EXAMPLES: ExamplesOf<Writes<void>> = {
  addOrUpdate: {
    code: `export default async ({ graph }: Scope) => {
  await graph.addOrUpdate('Task', 'mow', { Title: 'Mow the lawn', Cost: 20 });
  await graph.addOrUpdate('Task', 'mow', { Cost: 25 });
  const { Title, Cost } = await graph.get('Task', 'mow');
  return [Title, Cost];
};`,
    answer: ['Mow the lawn', 25],
  },
  tryAdd: {
    code: `export default async ({ graph }: Scope) => {
  await graph.tryAdd('Task', 'rake', { Cost: 5 });
  const { changed } = await graph.tryAdd('Task', 'rake', { Cost: 9 });
  return { changed, cost: (await graph.get('Task', 'rake')).Cost };
};`,
    answer: { changed: false, cost: 5 },
  },
  update: {
    code: `export default async ({ graph }: Scope) => {
  await graph.tryAdd('Task', 'weed', { Cost: 5 });
  const ifVersion = await graph.version('Task', 'weed');
  await graph.update('Task', 'weed', { Cost: 6 }, { ifVersion });
  return (await graph.get('Task', 'weed')).Cost;
};`,
    answer: 6,
  },
  delete: {
    code: `export default async ({ graph }: Scope) => {
  await graph.tryAdd('Task', 'dust', { Title: 'Dust the shelves' });
  await graph.delete('Task', 'dust');
  return graph.tryGet('Task', 'dust');
};`,
    answer: null,
  },
  link: {
    code: `export default async ({ graph }: Scope) => {
  const [plant, dig] = [{ type: 'Task', key: 'plant' }, { type: 'Task', key: 'dig' }] as const;
  await graph.addOrUpdate(plant);
  await graph.addOrUpdate(dig);
  return (await graph.link(plant, 'Needs', dig)).changed;
};`,
    answer: true,
  },
  unlink: {
    code: `export default async ({ graph }: Scope) => {
  const [water, sow] = [{ type: 'Task', key: 'water' }, { type: 'Task', key: 'sow' }] as const;
  await graph.addOrUpdate(water);
  await graph.addOrUpdate(sow);
  await graph.link(water, 'Needs', sow);
  return (await graph.unlink(water, 'Needs', sow)).changed;
};`,
    answer: true,
  },
  restrict: {
    code: `export default async ({ CurrentUser, graph, unauthorized }: Scope) => {
  if (CurrentUser === null) return unauthorized('Sign in first.');
  const gift = { type: 'Task', key: 'gift' } as const;
  await graph.addOrUpdate(gift);
  return (await graph.restrict(gift, { user: CurrentUser })).changed;
};`,
    answer: true,
  },
  unrestrict: {
    code: `export default async ({ CurrentUser, graph, unauthorized }: Scope) => {
  if (CurrentUser === null) return unauthorized('Sign in first.');
  const party = { type: 'Task', key: 'party' } as const;
  await graph.addOrUpdate(party);
  await graph.restrict(party, { user: CurrentUser });
  return (await graph.unrestrict(party)).changed;
};`,
    answer: true,
  },
};

export const COMMITS_EXAMPLES: Readonly<
  Record<Exclude<keyof GraphWrites, keyof Writes<void>>, Example>
> = {
  commit: {
    code: `export default async ({ graph, q }: Scope) => {
  await graph.addOrUpdate('Task', 'sweep', { Cost: 3 });
  await graph.commit();
  return q().startAt('Task', 'sweep').count();
};`,
    answer: 1,
  },
  transaction: {
    code: `export default async ({ graph }: Scope) => {
  await graph.transaction((transaction) => {
    transaction.addOrUpdate('Task', 'bake', { Cost: 7 });
    transaction.addOrUpdate('Task', 'eat', { Cost: 0 });
    transaction.link({ type: 'Task', key: 'eat' }, 'Needs', { type: 'Task', key: 'bake' });
  });
  return (await graph.get('Task', 'bake')).Cost;
};`,
    answer: 7,
  },
};
