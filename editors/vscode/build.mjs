// Makes the extension: `node build.mjs` bundles it in dist/, and packs it into volvelle-VERSION.vsix. The same sources give the same bytes.

import esbuild from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { zip } from './zip.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const staged = path.join(here, 'dist');
const MOST_BYTES = 1 << 20;

/** Licences that packages in the bundle may have. */
const PERMITTED = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'];

/** The licences of the packages in the bundle. */
function licences(inputs) {
  const names = inputs.map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const texts = [...new Set(names)].filter(Boolean).sort().map((name) => {
    const folder = path.join(here, 'node_modules', name);
    const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    if (!PERMITTED.includes(license)) throw new Error(`${name} ${version}: the licence ${license} is not among those permitted`);
    const file = fs.readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (file === undefined) throw new Error(`${name} ${version} has no file with its licence`);
    const text = fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `The extension contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The manifest of the extension without what only builds it. */
function manifest() {
  const { scripts, devDependencies, private: _, ...kept } = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
  return kept;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** What an editor reads before it unpacks the rest. */
function vsixManifest({ name, version, publisher, displayName, description, categories, keywords, engines, icon }) {
  const assets = [
    ['Microsoft.VisualStudio.Code.Manifest', 'package.json'],
    ['Microsoft.VisualStudio.Services.Content.Details', 'README.md'],
    ['Microsoft.VisualStudio.Services.Content.License', 'LICENSE.txt'],
    ['Microsoft.VisualStudio.Services.Icons.Default', icon],
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"
  xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(','))}</Tags>
    <Categories>${escaped(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionPack" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
      <Property Id="Microsoft.VisualStudio.Code.LocalizedLanguages" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExecutesCode" Value="true"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${icon}</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
${assets.map(([type, file]) => `    <Asset Type="${type}" Path="extension/${file}" Addressable="true"/>`).join('\n')}
  </Assets>
</PackageManifest>
`;
}

const CONTENT_TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${[['.js', 'application/javascript'], ['.json', 'application/json'], ['.md', 'text/markdown'], ['.png', 'image/png'],
  ['.txt', 'text/plain'], ['.vsixmanifest', 'text/xml']]
  .map(([ending, type]) => `  <Default Extension="${ending}" ContentType="${type}"/>`).join('\n')}
</Types>
`;

fs.rmSync(staged, { recursive: true, force: true });
fs.mkdirSync(staged);
const built = await esbuild.build({
  absWorkingDir: here,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  target: 'node18',
  format: 'cjs',
  external: ['vscode'],
  legalComments: 'none',
  metafile: true,
});
const kept = manifest();
fs.writeFileSync(path.join(staged, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
fs.writeFileSync(path.join(staged, 'LICENSES-OF-PACKAGES.txt'), licences(Object.keys(built.metafile.inputs)));
const [mit, apache] = ['LICENSE-MIT', 'LICENSE-APACHE'].map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
fs.writeFileSync(path.join(staged, 'LICENSE.txt'), `Under either of two licences, as you like.\n\n${mit}\n${'-'.repeat(80)}\n\n${apache}`);
for (const file of ['README.md', kept.icon]) fs.copyFileSync(path.join(here, file), path.join(staged, file));
for (const folder of ['languages', 'snippets']) fs.cpSync(path.join(here, folder), path.join(staged, folder), { recursive: true });
fs.cpSync(path.join(root, 'editors/grammars'), path.join(staged, 'grammars'), { recursive: true });

const entries = fs.readdirSync(staged, { recursive: true }).map(String).sort();
const files = entries.filter((file) => fs.statSync(path.join(staged, file)).isFile());
const packed = zip([
  ['[Content_Types].xml', Buffer.from(CONTENT_TYPES)],
  ['extension.vsixmanifest', Buffer.from(vsixManifest(kept))],
  ...files.map((file) => [`extension/${file.split(path.sep).join('/')}`, fs.readFileSync(path.join(staged, file))]),
]);
if (packed.length > MOST_BYTES) throw new Error(`the package has ${packed.length} bytes, and ${MOST_BYTES} are the most`);
const name = `volvelle-${kept.version}.vsix`;
fs.writeFileSync(path.join(here, name), packed);
console.log(`${name}: ${files.length} files, ${packed.length} bytes`);
