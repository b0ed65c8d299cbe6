import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { liveHeapBytes } from '../../../test/support/live-heap.ts';
import { scale } from '../../../test/support/scale.ts';
import { GRAPHML_DEPTH_MAX, GRAPHML_ELEMENT_CHARACTERS_MAX } from './graphml-reader.ts';
import { GRAPHML_KEYS_MAX, graphmlSource } from './graphml-source.ts';
import { InputFile } from './input-file.ts';

const LINE_BYTES = scale({ sample: 64, soak: 1_024 }) * 1024 * 1024;
/** A good part of it is what buffers take until they are swept. */
const LINE_HEAP_BYTES_MAX = 24 * 1024 * 1024;
const OPTIONS = { type: 'Node', edge: 'LinkedTo', key: undefined };

function sourceOf(chunks: Iterable<Buffer>, options: { key?: string } = {}) {
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  const stdin = Readable.from(chunks);
  const file = new InputFile('-', { stdin, stdout: output, stderr: output, env: {}, signal });
  return graphmlSource(file, { ...OPTIONS, ...options });
}

async function read(text: string, options: { key?: string } = {}) {
  // In pieces that end anywhere.
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
    bytes.subarray(i * 7, i * 7 + 7),
  );
  const source = sourceOf(chunks, options);
  const items = (await Array.fromAsync(source.items())).flat();
  return {
    schema: source.takeSchema(),
    operations: items.flatMap((item) => (item.problem === undefined ? [item.operation] : [])),
    problems: items.flatMap((item) =>
      item.problem === undefined ? [] : [`${source.locate(item.place)}: ${item.problem}`],
    ),
  };
}

const GRAPH = (inner: string, keys = '') => `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">${keys}
<graph edgedefault="undirected" mode="static">
${inner}
</graph></graphml>`;

describe('GraphML of others', () => {
  it('has keys of several types with what is usual, parts in parts, and elements of its own', async () => {
    const keys = `
<key id="d0" for="node" attr.name="full name" attr.type="string"/>
<key id="d1" for="node" attr.name="age" attr.type="int"><default>18</default></key>
<key id="d2" for="all" attr.name="Type" attr.type="boolean"/>
<key id="d3" for="edge" attr.name="Weight" attr.type="float"/>
<key id="d4" for="node" yfiles.type="nodegraphics"/>`;
    const { schema, operations, problems } = await read(
      GRAPH(
        `<node id="a &amp; b"><data key="d0"><![CDATA[<Ann>]]> &#x1F600;</data><data key="d2">True</data>
<data key="d4"><y:ShapeNode><y:Label>shown</y:Label></y:ShapeNode></data></node>
<edge id="e" source="a &amp; b" target="later" directed="false"><data key="d3">0.5</data></edge>
<node id="later"><data key="d1"></data><graph><node id="inner"/></graph></node>`,
        keys,
      ),
    );
    expect(problems).toEqual([]);
    expect(schema).toEqual({
      nodes: [
        {
          type: 'Node',
          fields: { full_name: 'String', age: 'Int', Type_2: 'Bool', d4: 'String' },
        },
      ],
      edges: [{ type: 'LinkedTo', fields: { Type_2: 'Bool', Weight: 'Double' } }],
    });
    const node = (key: string) => ({ type: 'Node', key });
    expect(operations).toEqual([
      {
        op: 'addOrUpdate',
        ...node('a & b'),
        fields: { full_name: '<Ann> 😀', age: 18, Type_2: true, d4: '' },
      },
      { op: 'tryAdd', ...node('a & b') },
      { op: 'tryAdd', ...node('later') },
      {
        op: 'link',
        from: node('a & b'),
        edge: 'LinkedTo',
        to: node('later'),
        fields: { Weight: 0.5 },
      },
      { op: 'addOrUpdate', ...node('inner'), fields: { age: 18 } },
      { op: 'addOrUpdate', ...node('later'), fields: {} },
    ]);
  });

  it('as Gephi writes it has ids of numbers, columns of statistics, places and colors', async () => {
    const column = (name: string, type: string, of: string, id = name) =>
      `<key attr.name="${name}" attr.type="${type}" for="${of}" id="${id}"/>`;
    const data = (values: Readonly<Record<string, string>>) =>
      Object.entries(values).map(([key, text]) => `<data key="${key}">${text}</data>`);
    const place = { size: '10.0', r: '235', g: '81', b: '72', x: '-266.82776', y: '299.6904' };
    const { schema, operations, problems } = await read(
      [
        '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:viz="http://www.gexf.net/1.2draft/viz">',
        column('label', 'string', 'node'),
        column('Edge Label', 'string', 'edge', 'edgelabel'),
        column('weight', 'double', 'edge'),
        column('Edge Id', 'string', 'edge', 'edgeid'),
        ...['r', 'g', 'b'].map((name) => column(name, 'int', 'node')),
        ...['x', 'y', 'size'].map((name) => column(name, 'float', 'node')),
        column('Modularity Class', 'int', 'node', 'modularity_class'),
        column('In-Degree', 'integer', 'node', 'indegree'),
        column('names', 'liststring', 'node'),
        '<graph edgedefault="directed">',
        '<node id="11">',
        ...data({
          label: 'Valjean',
          modularity_class: '1',
          indegree: '36',
          names: '[Jean, 24601]',
        }),
        '<viz:color r="235" g="81" b="72"/><viz:position x="-266.8" y="299.6"/>',
        ...data(place),
        '</node>',
        '<node id="0">',
        ...data({ label: 'Myriel', modularity_class: '0', ...place }),
        '</node>',
        '<edge id="13" source="11" target="0">',
        ...data({ weight: '5.0', edgeid: '13' }),
        '</edge>',
        '<edge source="0" target="11" directed="false">',
        ...data({ weight: '1.0', edgelabel: 'meets' }),
        '</edge>',
        '</graph></graphml>',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    const [float, int] = ['Double', 'Int'];
    expect(schema).toEqual({
      nodes: [
        {
          type: 'Node',
          fields: {
            label: 'String',
            r: int,
            g: int,
            b: int,
            x: float,
            y: float,
            size: float,
            Modularity_Class: int,
            In_Degree: 'Long',
            names: 'String',
          },
        },
      ],
      edges: [
        { type: 'LinkedTo', fields: { Edge_Label: 'String', weight: float, Edge_Id: 'String' } },
      ],
    });
    const node = (key: string) => ({ type: 'Node', key });
    const shown = { size: 10, r: 235, g: 81, b: 72, x: -266.82776, y: 299.6904 };
    const added = operations.filter(({ op }) => op !== 'tryAdd');
    expect(added).toEqual([
      {
        op: 'addOrUpdate',
        ...node('11'),
        fields: {
          label: 'Valjean',
          Modularity_Class: 1,
          In_Degree: 36,
          names: '[Jean, 24601]',
          ...shown,
        },
      },
      {
        op: 'addOrUpdate',
        ...node('0'),
        fields: { label: 'Myriel', Modularity_Class: 0, ...shown },
      },
      {
        op: 'link',
        from: node('11'),
        edge: 'LinkedTo',
        to: node('0'),
        fields: { weight: 5, Edge_Id: '13' },
      },
      {
        op: 'link',
        from: node('0'),
        edge: 'LinkedTo',
        to: node('11'),
        fields: { weight: 1, Edge_Label: 'meets' },
      },
    ]);
  });

  it('may have the keys of its nodes in their data', async () => {
    const keys = '<key id="d0" for="node" attr.name="email" attr.type="string"/>';
    const data = (text: string) => `<data key="d0">${text}</data>`;
    const { operations, problems, schema } = await read(
      GRAPH(
        `<node id="1">${data('ann@x')}</node>
<node id="2"/>
<edge source="1" target="1"/>
<edge source="1" target="2"/>`,
        keys,
      ),
      { key: 'email' },
    );
    expect(schema?.nodes).toEqual([{ type: 'Node', fields: {} }]);
    expect(operations).toContainEqual({
      op: 'addOrUpdate',
      type: 'Node',
      key: 'ann@x',
      fields: {},
    });
    expect(operations.at(-1)).toMatchObject({ op: 'link', from: { key: 'ann@x' } });
    expect(problems).toEqual([
      'standard input:5: it has no email, which --key names',
      'standard input:7: no node before it has the id "2" and email',
    ]);
  });

  it('that is wrong in places is told of with the line', async () => {
    const keys = '<key id="d0" for="node" attr.name="age" attr.type="int"/>';
    const { operations, problems } = await read(
      GRAPH(
        `<node/>
<node id="a"><data key="d0">old</data></node>
<node id="b"><data key="d9">1</data></node>
<edge source="a"/>
<hyperedge/>
<node id="c"/>`,
        `${keys}<key id="d0" for="edge"/>`,
      ),
    );
    expect(operations).toEqual([{ op: 'addOrUpdate', type: 'Node', key: 'c', fields: {} }]);
    expect(problems).toEqual([
      'standard input:2: two keys have the id "d0"',
      'standard input:4: it has no attribute "id"',
      'standard input:5: "old" is not of the type Int',
      'standard input:6: no <key> with the id "d9" stands before the graph',
      'standard input:7: it has no attribute "target"',
      'standard input:8: an edge here joins two nodes: make several of the <hyperedge>',
    ]);
  });
});

describe('a hostile file', () => {
  const bomb = '<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  it.each([
    [
      'declares entities',
      `<?xml version="1.0"?>\n${bomb}\n<graphml/>`,
      ':2: it has a document type',
    ],
    [
      'is in another encoding',
      '<?xml version="1.0" encoding="UTF-16"?><graphml/>',
      ':1: it is in UTF-16',
    ],
    ['is something else', '<html><body/></html>', ':1: this is no GraphML: it begins with <html>'],
    ['is no XML', 'nothing', 'there is no <graphml>'],
    ['is empty', '', 'there is no <graphml>'],
    ['ends early', '<graphml>\n<graph>\n<node id="a">', ':3: the file ends within <node>'],
    [
      'is too deep',
      `<graphml>${'<graph>'.repeat(GRAPHML_DEPTH_MAX)}`,
      `elements are in each other more than ${GRAPHML_DEPTH_MAX} deep`,
    ],
  ])('that %s is refused', async (_what, text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('that is no UTF-8 is refused', async () => {
    const source = sourceOf([Buffer.from('<graphml>\n<graph>\xff', 'latin1')]);
    await expect(Array.fromAsync(source.items())).rejects.toThrow(/:\d: not valid UTF-8/);
  });

  it('with entities that nobody declared keeps them as text', async () => {
    const { operations } = await read(GRAPH('<node id="&x;&lt;"/>'));
    expect(operations).toMatchObject([{ key: '&x;<' }]);
  });

  it.each([
    ['a text', '<graphml><graph><node id="a"><data key="k">'],
    ['an attribute', '<graphml><graph><node id="'],
    ['a comment', '<graphml><!--'],
    ['data upon data', '<graphml><graph><node id="a"><data key="k">x</data><data key="k">'],
  ])('with %s that never ends is given up', async (_what, first) => {
    function* endless(): Generator<Buffer, void, undefined> {
      yield Buffer.from(first);
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    }
    const source = sourceOf(endless());
    const whole = async (): Promise<void> => {
      for await (const _items of source.items());
    };
    await expect(whole()).rejects.toThrow('an element or a text has more than');
    expect(source.progress().done).toBeLessThan(3 * GRAPHML_ELEMENT_CHARACTERS_MAX);
  });

  it.each([
    [
      'nodes and edges',
      (i: number) =>
        `<node id="n${i}"/><edge source="n${i}" target="n0"><!--${'x'.repeat(150)}--></edge>`,
      4,
    ],
    ['what is none of it', () => `<y:z a="b">text</y:z><data key="k"/>${' '.repeat(200)}`, 0],
  ])('of one line of %s is read piece by piece', async (_what, part, operationsOfPart) => {
    const keys = '<graphml><key id="k" for="graph"/><graph>';
    let parts = 0;
    function* line(): Generator<Buffer, void, undefined> {
      yield Buffer.from(keys);
      for (let bytes = 0; bytes < LINE_BYTES;) {
        const piece = Buffer.from(Array.from({ length: 1_000 }, () => part(parts++)).join(''));
        bytes += piece.length;
        yield piece;
      }
      yield Buffer.from('</graph></graphml>');
    }
    const source = sourceOf(line());
    const before = liveHeapBytes();
    let operations = 0;
    let groups = 0;
    for await (const items of source.items()) {
      operations += items.filter(({ problem }) => problem === undefined).length;
      if (++groups % 40 === 0) expect(liveHeapBytes() - before).toBeLessThan(LINE_HEAP_BYTES_MAX);
    }
    expect(groups).toBeGreaterThan(200);
    expect(operations).toBe(parts * operationsOfPart);
    expect(source.progress().done).toBeGreaterThan(LINE_BYTES);
  });

  it('with too many keys tells of those beyond', async () => {
    const keys = Array.from({ length: GRAPHML_KEYS_MAX + 1 }, (_, i) => `<key id="${i}"/>`);
    const { problems } = await read(GRAPH('', keys.join('')));
    expect(problems).toEqual([`standard input:2: there are more than ${GRAPHML_KEYS_MAX} keys`]);
  });
});
