//! The database of a context: its storages and contents, by name.

use crate::contents::{Array, Content, Field, Layout, Octree, PartialArray, SyncedArray};
use crate::context::Context;
use crate::error::Error;
use crate::storage::{Ram, Storage};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All storages and contents of a context.
pub struct Database {
    context: Arc<Context>,
    storages: BTreeMap<String, Arc<dyn Storage>>,
    contents: BTreeMap<String, Arc<dyn Content>>,
}

/// A content, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// `SyncedArray`.
    pub kind: String,
    /// The layout of an element.
    pub layout: Layout,
    /// Elements in all.
    pub elements: u64,
    /// Bytes on the devices of this process.
    pub bytes_here: u64,
}

impl Database {
    /// A database with main memory (`RAM`) and the storages of the devices (under their names), and without
    /// contents.
    pub fn new(context: &Arc<Context>) -> Self {
        let mut storages: BTreeMap<String, Arc<dyn Storage>> = BTreeMap::new();
        storages.insert("RAM".to_owned(), Ram::shared());
        for device in context.devices() {
            storages.insert(device.name().to_owned(), device.storage());
        }
        Database { context: context.clone(), storages, contents: BTreeMap::new() }
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Names of the storages, in alphabetical order.
    pub fn storages(&self) -> impl Iterator<Item = &str> {
        self.storages.keys().map(String::as_str)
    }

    /// A storage.
    ///
    /// # Errors
    /// There is no such name.
    pub fn storage(&self, name: &str) -> Result<Arc<dyn Storage>, Error> {
        let missing = || Error::Mismatch(format!("there is no storage `{name}`; {}", known(self.storages())));
        self.storages.get(name).cloned().ok_or_else(missing)
    }

    /// Adds a storage: a folder, another rank, or one defined outside this crate.
    ///
    /// # Errors
    /// The name is taken.
    pub fn add_storage(&mut self, name: &str, storage: Arc<dyn Storage>) -> Result<(), Error> {
        if self.storages.contains_key(name) {
            return Err(Error::Mismatch(format!("there is a storage `{name}` already")));
        }
        self.storages.insert(name.to_owned(), storage);
        Ok(())
    }

    /// The contents, in alphabetical order.
    pub fn contents(&self) -> Vec<Listed> {
        let bytes = |content: &Arc<dyn Content>| {
            (0..self.context.devices().len()).map(|device| content.region(device).bytes() as u64).sum()
        };
        let listed = |(name, content): (&String, &Arc<dyn Content>)| Listed {
            name: name.clone(),
            kind: content.kind().to_owned(),
            layout: content.layout(),
            elements: content.elements(),
            bytes_here: bytes(content),
        };
        self.contents.iter().map(listed).collect()
    }

    /// A content of any kind.
    ///
    /// # Errors
    /// There is no such name.
    pub fn content(&self, name: &str) -> Result<Arc<dyn Content>, Error> {
        let names = || known(self.contents.keys().map(String::as_str));
        self.contents
            .get(name)
            .cloned()
            .ok_or_else(|| Error::Mismatch(format!("there is no content `{name}`; {}", names())))
    }

    /// The content with this name and kind.
    ///
    /// # Errors
    /// There is no such name, or the content is of another kind.
    pub fn find<C: Content + 'static>(&self, name: &str) -> Result<Arc<C>, Error> {
        let content = self.content(name)?;
        let kind = content.kind().to_owned();
        let other = |_| Error::Mismatch(format!("content `{name}` is a {kind}, not of the requested kind"));
        content.as_any().downcast::<C>().map_err(other)
    }

    /// Adds a content of any kind, including those defined outside this crate.
    ///
    /// # Errors
    /// The name is taken.
    pub fn add(&mut self, name: &str, content: Arc<dyn Content>) -> Result<(), Error> {
        self.expect_new(name)?;
        self.contents.insert(name.to_owned(), content);
        Ok(())
    }

    fn expect_new(&self, name: &str) -> Result<(), Error> {
        match self.contents.contains_key(name) {
            false => Ok(()),
            true => Err(Error::Mismatch(format!("there is a content `{name}` already"))),
        }
    }

    fn create<C: Content + 'static>(
        &mut self,
        name: &str,
        make: impl FnOnce(&Arc<Context>) -> Result<C, Error>,
    ) -> Result<Arc<C>, Error> {
        self.expect_new(name)?;
        let content = Arc::new(make(&self.context)?);
        self.add(name, content.clone())?;
        Ok(content)
    }

    /// An array of zeros whose parts are independent. All ranks create the same.
    ///
    /// # Errors
    /// The name is taken, or an allocation failed.
    pub fn array(&mut self, name: &str, layout: Layout, elements: u64) -> Result<Arc<Array>, Error> {
        self.create(name, |context| Array::new(context, layout, elements))
    }

    /// An array of zeros that is synchronised. All ranks create the same.
    ///
    /// # Errors
    /// The name is taken, or an allocation failed.
    pub fn synced_array(
        &mut self,
        name: &str,
        layout: Layout,
        elements: u64,
    ) -> Result<Arc<SyncedArray>, Error> {
        self.create(name, |context| SyncedArray::new(context, layout, elements))
    }

    /// An array of zeros with halos. All ranks create the same.
    ///
    /// # Errors
    /// The name is taken, or an allocation failed.
    pub fn partial_array(
        &mut self,
        name: &str,
        layout: Layout,
        elements: u64,
        halo: u64,
    ) -> Result<Arc<PartialArray>, Error> {
        self.create(name, |context| PartialArray::new(context, layout, elements, halo))
    }

    /// An octree, not built yet. Its fields are contents `NAME.centre` and so on. All ranks create the same.
    ///
    /// # Errors
    /// The name is taken, or an allocation failed.
    pub fn octree(&mut self, name: &str) -> Result<Octree, Error> {
        let named = |field: Field| format!("{name}.{}", field.name());
        for field in Field::ALL {
            self.expect_new(&named(field))?;
        }
        let tree = Octree::new(&self.context)?;
        for field in Field::ALL {
            self.add(&named(field), tree.field(field))?;
        }
        Ok(tree)
    }

    /// Removes a content. Its memory is freed with the last reference to it.
    ///
    /// # Errors
    /// There is no such name.
    pub fn remove(&mut self, name: &str) -> Result<(), Error> {
        self.content(name)?;
        self.contents.remove(name);
        Ok(())
    }
}

/// `there are …`.
fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.is_empty() {
        true => "there are none".to_owned(),
        false => format!("there are {}", names.join(", ")),
    }
}
